//! `kostra generate`: writes a generated graph.

use std::ffi::OsString;

use anyhow::Context;
use kostra::generate::generators;

use crate::args::{GenerateArgs, InputArgs, Nan};
use crate::input::{GENERATED, Request};
use crate::{Answer, convert, output};

/// Makes a graph and writes it, or lists what can be made.
///
/// # Errors
/// When there is no such generator, its parameters are at fault, or the output cannot be written.
pub(crate) fn run(args: GenerateArgs) -> anyhow::Result<Answer> {
    if args.list {
        output::print(&list())?;
        return Ok(Answer::Yes);
    }
    let spec = args.spec.context("say what to make: NAME:key=value,...")?;
    let path = args.output.context("say where to write it: -o FILE")?;
    let to = output::of_path(&path);
    let format = output::format_of(&to, args.to)?;
    to.check()?;
    let spec = spec.strip_prefix(GENERATED).unwrap_or(&spec);
    let input =
        InputArgs { input: OsString::from(format!("{GENERATED}{spec}")), ..InputArgs::default() };
    convert::write(&Request::resolve(input, Nan::Error), &to, format)?;
    Ok(Answer::Yes)
}

fn list() -> String {
    let mut text = String::new();
    for generator in generators() {
        text += &format!("{:<14}{}\n", generator.id, generator.summary);
        for parameter in generator.parameters {
            let setting = format!("{}={}", parameter.name, parameter.default);
            text += &format!("    {setting:<22}  {}\n", parameter.meaning);
        }
        text += &format!("    {GENERATED}{}\n\n", generator.example);
    }
    text.pop();
    text
}
