//! The terminal of an interactive walkthrough: raw mode, keys, and putting
//! everything back afterwards, whatever happens.

use std::io::{self, Write};
use std::panic;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::style::Print;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{execute, queue};

use super::output::Output;
use super::session::{After, Key, Session};

/// Columns and lines of the terminal; those of old where it does not say.
pub(super) fn size() -> (usize, usize) {
    match crossterm::terminal::size() {
        Ok((columns, lines)) if columns > 0 && lines > 0 => (columns.into(), lines.into()),
        _ => (80, 24),
    }
}

/// Columns of the terminal that standard output is, if it is one.
pub(super) fn columns() -> Option<usize> {
    let (columns, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(columns.0).clamp(60, 100))
}

/// Shows a session until it ends. A width that was asked for stays when the
/// terminal's changes.
///
/// # Errors
/// When the terminal cannot be used.
pub(super) fn show(mut session: Session, width: Option<usize>, output: Output) -> io::Result<()> {
    let _screen = Screen::enter()?;
    loop {
        draw(&session, output)?;
        match event::read()? {
            Event::Key(key)
                if key.kind != KeyEventKind::Release
                    && session.press(meaning(key)) == After::Ends =>
            {
                return Ok(());
            }
            Event::Resize(columns, lines) => {
                session.resize(width.unwrap_or(columns.into()), lines.into());
            }
            _ => {}
        }
    }
}

fn draw(session: &Session, output: Output) -> io::Result<()> {
    let mut out = io::stdout().lock();
    queue!(out, BeginSynchronizedUpdate)?;
    let text = output.text(&session.frame());
    for (line, text) in text.lines().enumerate() {
        // Cleared first: after a full line the cursor still stands on its last column.
        queue!(out, MoveTo(0, line as u16), Clear(ClearType::UntilNewLine), Print(text))?;
    }
    queue!(out, EndSynchronizedUpdate)?;
    out.flush()
}

/// What a key means.
fn meaning(key: KeyEvent) -> Key {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c' | 'd') => Key::Quit,
            _ => Key::Other,
        };
    }
    match key.code {
        KeyCode::Right | KeyCode::PageDown | KeyCode::Char(' ' | 'j') => Key::Next,
        KeyCode::Left | KeyCode::PageUp | KeyCode::Char('k') => Key::Previous,
        KeyCode::Home => Key::First,
        KeyCode::End => Key::Last,
        // A Chinese input method writes its own brackets and question marks.
        KeyCode::Char(']' | '】' | '］') => Key::NextMoment,
        KeyCode::Char('[' | '【' | '［') => Key::PreviousMoment,
        KeyCode::Char('?' | '？' | 'h') => Key::Help,
        KeyCode::Char(digit @ '0'..='9') => Key::Digit(digit as u8 - b'0'),
        KeyCode::Enter => Key::Enter,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Char('m') => Key::Grain,
        KeyCode::Char('s') => Key::Savepoint,
        KeyCode::Char('l') => Key::Language,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Esc => Key::Escape,
        KeyCode::Char('q') => Key::Quit,
        _ => Key::Other,
    }
}

/// The terminal while it is ours; dropping it gives it back, and so does a
/// panic, before its message is written.
struct Screen;

impl Screen {
    fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        let screen = Self;
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            leave();
            before(what);
        }));
        execute!(io::stdout(), EnterAlternateScreen, Hide, DisableLineWrap)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

fn leave() {
    // There is nothing to be done about a terminal that is gone.
    let _ = execute!(io::stdout(), EnableLineWrap, Show, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}
