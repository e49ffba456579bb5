//! Less of everything: faults, operators, subtasks, records, settings.

use serde_json::{Value, json};

use super::mention::{job, parallelism, remove, rename, task};

/// Without one kind of happening, or without one.
pub(super) fn happenings(document: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    const LISTS: [&str; 4] = ["faults", "savepoints", "checkpoints", "break"];
    for key in LISTS {
        let n = document.get(key).and_then(Value::as_array).map_or(0, Vec::len);
        if n > 1 && key != "break" {
            all.push(without(document, key));
        }
        // The last ones first: what happens late is seldom what is needed.
        for place in (0..n).rev() {
            let mut simpler = document.clone();
            simpler[key].as_array_mut().expect("it is a list").remove(place);
            if n == 1 {
                remove(&mut simpler, key);
            }
            all.push(simpler);
        }
    }
    for key in ["cancel", "storage", "rpc", "initial-delay", "network", "labels", "moments"] {
        all.push(without(document, key));
    }
    // A TaskManager that nobody crashes is no loss.
    if let Some(managers) = document.get("taskmanagers").and_then(Value::as_object) {
        all.push(without(document, "taskmanagers"));
        for name in managers.keys() {
            let mut simpler = document.clone();
            simpler["taskmanagers"].as_object_mut().expect("it is one").remove(name);
            all.push(simpler);
        }
    }
    all
}

fn without(document: &Value, key: &str) -> Value {
    let mut simpler = document.clone();
    remove(&mut simpler, key);
    simpler
}

/// Without one operator: those before it send to those behind it. Things that
/// happen to its tasks are gone with it, or happen to a neighbour.
pub(super) fn operators(document: &Value) -> Vec<Value> {
    let job = job(document);
    let edges = document.get("edges").and_then(Value::as_array).cloned().unwrap_or_default();
    let of =
        |edge: &Value, place: usize| edge.get(place).and_then(Value::as_str).map(str::to_owned);
    let removed = job.keys().flat_map(|name| {
        let end = |place: usize| {
            let own = edges.iter().filter(move |edge| of(edge, 1 - place).as_ref() == Some(name));
            own.filter_map(move |edge| of(edge, place)).collect::<Vec<_>>()
        };
        let (before, behind) = (end(0), end(1));
        let is_apart = |edge: &&Value| {
            of(edge, 0).as_ref() != Some(name) && of(edge, 1).as_ref() != Some(name)
        };
        let mut kept: Vec<Value> = edges.iter().filter(is_apart).cloned().collect();
        for from in &before {
            kept.extend(behind.iter().map(|to| json!([from, to])));
        }
        let mut simpler = document.clone();
        simpler["job"].as_object_mut().expect("it has a job").remove(name);
        simpler["edges"] = kept.into();
        let splits = splits_of(&job[name]);
        let is_gone = |word: &str| word == name || word.starts_with(&format!("{name}["));
        let is_split = |word: &str| splits.iter().any(|split| split == word);
        // What was about one of its tasks is about one of a neighbour's then, or
        // is gone, too.
        let neighbour = before.first().or(behind.first());
        let neighbour = neighbour.and_then(|own| Some(task(own, job.get(own)?, 0)));
        let mut moved = simpler.clone();
        rename(&mut moved, &|word| match is_gone(word) {
            true => neighbour.clone(),
            false => (!is_split(word)).then(|| word.to_owned()),
        });
        rename(&mut simpler, &|word| (!is_gone(word) && !is_split(word)).then(|| word.to_owned()));
        [simpler, moved]
    });
    removed.collect()
}

fn splits_of(operator: &Value) -> Vec<String> {
    let splits = operator.get("source").and_then(Value::as_object);
    splits.map(|splits| splits.keys().cloned().collect()).unwrap_or_default()
}

/// With fewer subtasks: one everywhere, one of an operator, one less. What is
/// about a subtask that is gone is about the first one then, or is gone too.
pub(super) fn subtasks(document: &Value) -> Vec<Value> {
    let job = job(document);
    let wide: Vec<&String> =
        job.iter().filter(|(_, own)| parallelism(own) > 1).map(|(name, _)| name).collect();
    let mut all = Vec::new();
    if wide.len() > 1 {
        all.extend(narrowed(document, &wide, 1));
    }
    for name in &wide {
        for n in [1, parallelism(&job[*name]) - 1] {
            all.extend(narrowed(document, &[name], n));
        }
        // Those that are joined to each other one to one can only shrink together.
        for other in wide.iter().filter(|other| other > &name) {
            all.extend(narrowed(document, &[name, other], 1));
        }
    }
    all
}

fn narrowed(document: &Value, operators: &[&String], n: u64) -> [Value; 2] {
    let job = job(document);
    let mut simpler = document.clone();
    let (mut gone, mut firsts) = (Vec::new(), Vec::new());
    for name in operators {
        let old = &job[*name];
        let operator = &mut simpler["job"][name.as_str()];
        operator["parallelism"] = json!(n);
        if let Some(names) = operator.get_mut("names").and_then(Value::as_array_mut) {
            names.truncate(n as usize);
        }
        for position in n..parallelism(old) {
            gone.push(task(name, old, position));
            firsts.push(task(name, operator, 0));
        }
    }
    let mut moved = simpler.clone();
    let place = |word: &str| gone.iter().position(|own| own == word);
    rename(&mut moved, &|word| {
        Some(place(word).map_or_else(|| word.to_owned(), |place| firsts[place].clone()))
    });
    rename(&mut simpler, &|word| place(word).is_none().then(|| word.to_owned()));
    [moved, simpler]
}

/// With fewer splits and fewer records.
pub(super) fn records(document: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for (name, operator) in &job(document) {
        let Some(source) = operator.get("source") else { continue };
        let with = |source: Value| {
            let mut simpler = document.clone();
            simpler["job"][name]["source"] = source;
            simpler
        };
        let Some(splits) = source.as_object().filter(|own| own.values().all(Value::is_object))
        else {
            all.extend(fewer(source).into_iter().map(with));
            continue;
        };
        for split in splits.keys().filter(|_| splits.len() > 1) {
            let mut fewer = splits.clone();
            fewer.remove(split);
            let mut simpler = with(fewer.into());
            rename(&mut simpler, &|word| (word != split).then(|| word.to_owned()));
            all.push(simpler);
        }
        for (split, values) in splits {
            for fewer in fewer(values) {
                let mut splits = splits.clone();
                splits[split] = fewer;
                all.push(with(splits.into()));
            }
        }
    }
    all
}

/// Fewer or plainer values.
fn fewer(values: &Value) -> Vec<Value> {
    let number = |key: &str| values.get(key).and_then(Value::as_u64);
    match (number("from"), number("to"), number("random"), values.as_array()) {
        (Some(from), Some(to), _, _) => {
            let ends = [from, from + to.saturating_sub(from) / 2, to.saturating_sub(1)];
            ends.into_iter()
                .filter(|end| *end < to)
                .map(|end| json!({ "from": from, "to": end }))
                .collect()
        }
        (_, _, Some(n), _) => {
            let fewer = [1, n / 2, n.saturating_sub(1)].into_iter().filter(|own| *own < n);
            let random = fewer.map(|own| json!({ "random": own, "below": values["below"] }));
            std::iter::once(json!({ "from": 1, "to": n })).chain(random).collect()
        }
        (_, _, _, Some(list)) => {
            let n = list.len();
            [n / 2, n.saturating_sub(1)].map(|n| json!(list[..n].to_vec())).to_vec()
        }
        _ => Vec::new(),
    }
}

/// Without all settings, without one, or without a bound on steps.
pub(super) fn settings(document: &Value) -> Vec<Value> {
    let mut all = vec![without(document, "steps"), without(document, "config")];
    let config = document.get("config").and_then(Value::as_object);
    for key in config.into_iter().flat_map(serde_json::Map::keys) {
        let mut simpler = document.clone();
        simpler["config"].as_object_mut().expect("it has settings").remove(key);
        all.push(simpler);
    }
    all
}
