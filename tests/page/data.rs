//! Reads a page's data as its script does.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value as Json;

const SIGNS: &str =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+,-./:;=>?@[]^_{|}~";

/// Runs `checkdam page`.
pub(super) fn page(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkdam"));
    command.env_clear().arg("page").args(arguments);
    command.output().expect("it can be started")
}

/// The lecture's page, made once for all tests.
pub(crate) fn lecture() -> &'static str {
    static PAGE: OnceLock<String> = OnceLock::new();
    PAGE.get_or_init(|| {
        let made = page(&["lecture"]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        assert_eq!(String::from_utf8_lossy(&made.stderr), "", "nothing is left out");
        String::from_utf8(made.stdout).expect("a page is text")
    })
}

/// A folder of a test's own.
pub(super) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// A page's data.
pub(crate) fn data(page: &str) -> Json {
    let (_, rest) =
        page.split_once("<script type=\"text/plain\" id=\"data\">").expect("it is there");
    let (packed, _) = rest.split_once("</script>").expect("it ends");
    let json = unpacked(packed).replace('\u{e000}', "<");
    serde_json::from_str(&json).expect("it is JSON")
}

fn digit(sign: char) -> u64 {
    SIGNS.chars().position(|own| own == sign).unwrap_or_else(|| panic!("{sign} is no digit")) as u64
}

fn unpacked(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    let mut out: Vec<char> = Vec::new();
    let mut place = 0;
    let number = |place: &mut usize| {
        let mut number = 0;
        loop {
            let digit = digit(signs[*place]);
            *place += 1;
            number = number * 44 + digit % 44;
            if digit < 44 {
                return number as usize;
            }
        }
    };
    while place < signs.len() {
        place += 1;
        if signs[place - 1] != '`' {
            out.push(signs[place - 1]);
            continue;
        }
        match number(&mut place) {
            0 => out.push('`'),
            back => {
                for _ in 0..number(&mut place) + 6 {
                    out.push(out[out.len() - back]);
                }
            }
        }
    }
    out.into_iter().collect()
}

/// A list of numbers.
pub(super) fn numbers(json: &Json) -> Vec<u64> {
    let mut all = Vec::new();
    let mut number = 0;
    for sign in json.as_str().expect("numbers are text").chars() {
        let digit = digit(sign);
        number = number * 44 + digit % 44;
        if digit < 44 {
            all.push(number);
            number = 0;
        }
    }
    all
}

/// A number that may be below zero.
pub(super) fn signed(number: u64) -> i64 {
    let half = (number / 2) as i64;
    if number % 2 == 1 { -half - 1 } else { half }
}

/// Every crash that a page holds: step, task, and the number of its verdict.
pub(super) fn crashes(data: &Json) -> Vec<(u64, usize, usize)> {
    let all = crashes_with_other_sinks(data);
    all.into_iter().map(|(step, task, verdict, _)| (step, task, verdict)).collect()
}

/// Likewise, with the number of the verdict with sinks of the other kind.
pub(super) fn crashes_with_other_sinks(data: &Json) -> Vec<(u64, usize, usize, Option<usize>)> {
    let mut now = [0_i64; 5];
    let numbers = numbers(&data["crashes"]);
    let crash = |own: &[u64]| {
        for (now, change) in now.iter_mut().zip(own) {
            *now += signed(*change);
        }
        (now[0] as u64, now[1] as usize, now[3] as usize, (now[4] as usize).checked_sub(1))
    };
    numbers.chunks(5).map(crash).collect()
}

/// The texts of a list of pairs, in one language.
pub(super) fn texts(json: &Json, language: usize) -> Vec<&str> {
    let list = json.as_array().expect("it is a list");
    list.iter().map(|own| own[language].as_str().expect("it is text")).collect()
}
