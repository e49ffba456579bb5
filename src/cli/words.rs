//! What the command line itself says, in both languages.

use unicode_width::UnicodeWidthStr;

use super::asked::Answer;
use crate::model::Language;
use crate::render::text::{Frame, Paint, Span};

/// The line of keys, filled to a width; while a number is being typed, the
/// number; after a wish for a savepoint, what became of it.
pub(super) fn keys(
    language: Language,
    (typed, answer): (&str, Option<Answer>),
    columns: usize,
) -> String {
    let text = if let Some(answer) = answer {
        answered(language, answer)
    } else if typed.is_empty() {
        match language {
            Language::En => {
                " ←→ step  [ ] moment  12⏎ go to  m grain  s savepoint  l 中文  ? keys  q quit"
            }
            Language::Zh => {
                " ←→ 单步  [ ] 时刻  12⏎ 跳到  m 步/时刻  s 保存点  l English  ? 按键  q 退出"
            }
        }
        .to_owned()
    } else {
        match language {
            Language::En => format!(" go to step {typed}_   ⏎ go   esc stay"),
            Language::Zh => format!(" 跳到第 {typed}_ 步   ⏎ 确定   esc 取消"),
        }
    };
    let mut text: String = cut(&text, columns);
    let gap = columns.saturating_sub(text.width());
    text.extend(std::iter::repeat_n(' ', gap));
    text
}

fn answered(language: Language, answer: Answer) -> String {
    match answer {
        Answer::AskedAt(at) => {
            let ms = at.0.div_ceil(1000);
            match language {
                Language::En => format!(" savepoint asked for, at {ms} ms: step on to see it come"),
                Language::Zh => format!(" 已请求保存点（{ms} 毫秒处）：继续往下走就能看到"),
            }
        }
        Answer::Over => {
            pick(language, " no savepoint: the run is over", " 没有保存点：运行已经结束").to_owned()
        }
        Answer::NotOurs => {
            let en = " no savepoint: this recording cannot be run again";
            pick(language, en, " 没有保存点：这份记录无法重新运行").to_owned()
        }
    }
}

fn cut(text: &str, columns: usize) -> String {
    let mut short = String::new();
    for sign in text.chars() {
        let mut longer = short.clone();
        longer.push(sign);
        if longer.width() > columns {
            break;
        }
        short = longer;
    }
    short
}

/// The page that explains keys and signs.
pub(super) fn help(language: Language, columns: usize) -> Frame {
    const KEYS: [(&str, &str, &str); 12] = [
        ("→ PgDn Space j", "next step or moment", "下一步，或下一时刻"),
        ("← PgUp k", "previous step or moment", "上一步，或上一时刻"),
        ("Home  End", "start and end of the run", "运行的开头与结尾"),
        ("12 Enter", "go to step 12", "跳到第 12 步"),
        ("[  ]", "previous and next moment", "上一时刻与下一时刻"),
        ("m", "go by steps or by moments", "按步走，或按时刻走"),
        ("s", "ask for a savepoint here", "在此处请求一个保存点"),
        ("↑  ↓", "scroll a picture that is too high", "图太高时上下滚动"),
        ("l", "English or Chinese", "中文或英文"),
        ("?", "this page; any key closes it", "本页；按任意键关闭"),
        ("q  Esc", "quit", "退出"),
        ("", "", ""),
    ];
    const SIGNS: [(&str, &str, &str); 10] = [
        ("[4] (4) {4} <4>", "records; the bracket tells the split", "记录；括号区分来自哪个分片"),
        (
            "┃2┃  ┃2»",
            "a barrier of checkpoint 2; one that overtakes",
            "检查点 2 的屏障；会超车的屏障",
        ),
        (
            "[4]*  ✗2",
            "a copy is in a checkpoint; cancellation of 2",
            "副本存入检查点；检查点 2 的取消标记",
        ),
        ("(6)├─(5)─┤(4) ▸", "output buffer ├ wire ┤ receive queue", "输出缓冲 ├ 线路 ┤ 接收队列"),
        ("░░░░░ [4] ╣", "held back until the other barriers come", "被扣住，等其余屏障到齐"),
        ("›", "new here in this step", "这一步刚到这里"),
        ("┏━┓", "changed in this step", "这一步有变化"),
        ("1 2│3 4", "read │ to be read", "已读 │ 未读"),
        ("· ✓ ✓✓", "waited for, acknowledged, notified", "未确认、已确认、已收到完成通知"),
        (
            "━┃✓◆✗↻",
            "snapshot, acknowledged, complete, crash, restart",
            "快照、确认、完成、崩溃、重启",
        ),
    ];
    let text = |en: &str, zh: &str| match language {
        Language::En => en.to_owned(),
        Language::Zh => zh.to_owned(),
    };
    let mut lines = vec![vec![Span { text: text(" Keys", " 按键"), paint: Paint::Bold }]];
    for (sign, en, zh) in KEYS.into_iter().chain(SIGNS) {
        if sign.is_empty() {
            lines.push(vec![Span { text: text(" Signs", " 图例"), paint: Paint::Bold }]);
            continue;
        }
        let gap = 20_usize.saturating_sub(sign.width());
        lines.push(vec![
            Span { text: format!("  {sign}{}", " ".repeat(gap)), paint: Paint::Changed },
            Span { text: cut(&text(en, zh), columns.saturating_sub(22)), paint: Paint::Plain },
        ]);
    }
    Frame { lines, n_caption: 0 }
}

/// The text of a language.
pub(super) fn pick<'t>(language: Language, en: &'t str, zh: &'t str) -> &'t str {
    match language {
        Language::En => en,
        Language::Zh => zh,
    }
}
