//! The interactive walkthrough without a terminal: keys in, frames out.
//!
//! What is shown is a function of the story, the place in it and the size and
//! language of the screen; how one came there leaves no mark.

use super::asked::{self, Answer};
use super::words;
use crate::model::Language;
use crate::narrate::{Grain, Story};
use crate::render::text::{Frame, Paint, Pictures, Place, Span, timeline};

/// A key, by what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// One further.
    Next,
    /// One back.
    Previous,
    /// To the start.
    First,
    /// To the end.
    Last,
    /// To the end of the next moment.
    NextMoment,
    /// To the end of the moment before.
    PreviousMoment,
    /// A digit of a step's number.
    Digit(u8),
    /// Goes to the number that was typed.
    Enter,
    /// Takes back a digit.
    Backspace,
    /// Steps or moments.
    Grain,
    /// Asks for a savepoint here, and goes on in the run that has it.
    Savepoint,
    /// The other language.
    Language,
    /// Shows the keys, or the picture again.
    Help,
    /// Shows what is above, if the picture is higher than the screen.
    Up,
    /// Shows what is below.
    Down,
    /// Forgets a number, closes the help, or ends.
    Escape,
    /// Ends.
    Quit,
    /// Any other key.
    Other,
}

/// Whether the walk goes on after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum After {
    /// It does.
    GoesOn,
    /// It does not.
    Ends,
}

/// How the walkthrough is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Look {
    /// Its language.
    pub language: Language,
    /// Columns of the screen.
    pub columns: usize,
    /// Lines of the screen.
    pub lines: usize,
    /// How far one step goes.
    pub grain: Grain,
}

/// What is on the screen beside the picture's place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Page {
    #[default]
    Picture,
    Help,
}

/// An interactive walkthrough.
#[derive(Clone, Debug)]
pub struct Session {
    story: Story,
    look: Look,
    step: u64,
    /// The number being typed; empty for none.
    typed: String,
    page: Page,
    /// Lines that are scrolled away.
    scroll: usize,
    /// What the last key has led to, if it asked for a savepoint.
    answer: Option<Answer>,
}

impl Session {
    /// A walkthrough that begins at a step, or at the moment that it is in.
    #[must_use]
    pub fn new(story: Story, look: Look, step: u64) -> Self {
        let mut session = Self {
            story,
            look,
            step: 0,
            typed: String::new(),
            page: Page::default(),
            scroll: 0,
            answer: None,
        };
        if session.story.spans.is_empty() {
            session.look.grain = Grain::Steps;
        }
        session.go(step);
        session
    }

    /// What is shown.
    #[must_use]
    pub fn place(&self) -> Place {
        match (self.look.grain, self.story.span_near(self.step)) {
            (Grain::Moments, Some(span)) => Place::Moment(span),
            _ => Place::Step(self.step),
        }
    }

    /// The run that is walked through.
    #[must_use]
    pub fn story(&self) -> &Story {
        &self.story
    }

    /// The step that is shown.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The screen has another size.
    pub fn resize(&mut self, columns: usize, lines: usize) {
        (self.look.columns, self.look.lines) = (columns, lines);
        self.scroll = 0;
    }

    /// Takes a key.
    pub fn press(&mut self, key: Key) -> After {
        self.answer = None;
        if self.page == Page::Help && key != Key::Quit && key != Key::Language {
            self.page = Page::Picture;
            return After::GoesOn;
        }
        let typed = std::mem::take(&mut self.typed);
        match key {
            Key::Next => self.next(),
            Key::Previous => self.previous(),
            Key::First => self.go(0),
            Key::Last => self.go(self.story.n_steps()),
            Key::NextMoment => self.next_moment(),
            Key::PreviousMoment => self.previous_moment(),
            Key::Digit(digit) => {
                // More digits than any step has would only be cut off again.
                const DIGITS_MAX: usize = 12;
                self.typed = typed;
                if self.typed.len() < DIGITS_MAX {
                    self.typed.push(char::from(b'0' + digit % 10));
                }
            }
            Key::Enter => {
                if let Ok(step) = typed.parse() {
                    self.go(step);
                }
            }
            Key::Backspace => {
                self.typed = typed;
                self.typed.pop();
            }
            Key::Grain => {
                if !self.story.spans.is_empty() {
                    self.look.grain = match self.look.grain {
                        Grain::Steps => Grain::Moments,
                        Grain::Moments => Grain::Steps,
                    };
                    self.go(self.step);
                }
            }
            Key::Language => {
                self.look.language = match self.look.language {
                    Language::En => Language::Zh,
                    Language::Zh => Language::En,
                };
            }
            Key::Savepoint => self.ask_for_savepoint(),
            Key::Help => self.page = Page::Help,
            Key::Up => self.scroll = self.scroll.saturating_sub(1),
            Key::Down => self.scroll = (self.scroll + 1).min(self.scroll_max()),
            Key::Other => self.typed = typed,
            Key::Escape if !typed.is_empty() => {}
            Key::Escape | Key::Quit => return After::Ends,
        }
        After::GoesOn
    }

    fn ask_for_savepoint(&mut self) {
        self.answer = Some(match asked::with_savepoint(&self.story, self.step) {
            Ok((story, at)) => {
                let step = self.step;
                self.story = story;
                self.go(step);
                Answer::AskedAt(at)
            }
            Err(answer) => answer,
        });
    }

    /// Goes to a step, or to the end of the moment that it is in.
    fn go(&mut self, step: u64) {
        let step = step.min(self.story.n_steps());
        self.step = match (self.look.grain, self.story.span_near(step)) {
            (Grain::Moments, Some(span)) => self.story.spans[span].last,
            _ => step,
        };
        self.scroll = 0;
    }

    fn next(&mut self) {
        match self.look.grain {
            Grain::Steps => self.go(self.step + 1),
            Grain::Moments => self.next_moment(),
        }
    }

    fn previous(&mut self) {
        match self.look.grain {
            Grain::Steps => self.go(self.step.saturating_sub(1)),
            Grain::Moments => self.previous_moment(),
        }
    }

    fn next_moment(&mut self) {
        if let Some(span) = self.story.spans.iter().find(|span| span.last > self.step) {
            self.go(span.last);
        }
    }

    fn previous_moment(&mut self) {
        if let Some(span) = self.story.spans.iter().rfind(|span| span.last < self.step) {
            self.go(span.last);
        }
    }

    /// The screen: the picture, the line of time and the line of keys, just as
    /// many lines as there are.
    #[must_use]
    pub fn frame(&self) -> Frame {
        let body = match self.page {
            Page::Picture => self.picture(),
            Page::Help => words::help(self.look.language, self.look.columns),
        };
        let footer = self.footer();
        let room = self.look.lines.saturating_sub(footer.len());
        let mut lines = fit(body, room, self.scroll);
        lines.resize(room, Vec::new());
        lines.extend(footer);
        lines.truncate(self.look.lines);
        Frame { lines, n_caption: 0 }
    }

    fn picture(&self) -> Frame {
        let columns = self.look.columns;
        Pictures::new(&self.story, self.look.language, columns).frame(self.place())
    }

    /// The footer. What it has is decided by the height of the picture alone,
    /// so that it does not come and go with the length of a sentence.
    fn footer(&self) -> Vec<Vec<Span>> {
        const CAPTION: usize = 4;
        let picture = self.picture();
        let needed = picture.lines.len() - picture.n_caption + CAPTION;
        let spare = self.look.lines.saturating_sub(needed + 1);
        let columns = self.look.columns.min(100);
        let mut footer = timeline(&self.story, self.step, columns);
        match spare {
            0 => footer.clear(),
            1 => drop(footer.remove(0)),
            2 => {}
            _ => footer.insert(0, Vec::new()),
        }
        let keys = words::keys(self.look.language, (&self.typed, self.answer), columns);
        footer.push(vec![Span { text: keys, paint: Paint::Keys }]);
        footer
    }

    fn scroll_max(&self) -> usize {
        let (body, footer) = (self.picture(), self.footer());
        body.lines.len().saturating_sub(self.look.lines.saturating_sub(footer.len()))
    }
}

/// As much of a picture as fits: the title and the sentences stay, between
/// them a part of the job can be scrolled.
fn fit(frame: Frame, room: usize, scroll: usize) -> Vec<Vec<Span>> {
    let Frame { mut lines, n_caption } = frame;
    if lines.len() <= room || room <= n_caption + 2 {
        lines.truncate(room);
        return lines;
    }
    let surplus = lines.len() - room;
    let scroll = scroll.min(surplus);
    let caption = lines.split_off(lines.len() - n_caption);
    let mut shown = vec![lines[0].clone()];
    let middle = lines.len() - 1 - surplus;
    shown.extend(lines[1 + scroll..1 + scroll + middle].iter().cloned());
    shown.extend(caption);
    shown
}
