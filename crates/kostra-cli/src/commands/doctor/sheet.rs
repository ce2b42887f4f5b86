//! The report for people.

use super::machine::{Device, DeviceDescription, Machine};
use crate::report::{Sheet, bytes, count};

/// Describes the machine for people.
pub(super) fn sheet(machine: &Machine) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line(
        "kostra",
        format!("{} on {}, {}", machine.version, machine.system, machine.architecture),
    );
    let threads = count(machine.threads as u64, "thread", "threads");
    sheet.line(
        "processor",
        format!("{}, {threads}", machine.processor.as_deref().unwrap_or("unknown")),
    );
    let sets = machine.instruction_sets.join(", ");
    sheet.line("instructions", if sets.is_empty() { "the base set" } else { &sets });
    match &machine.memory {
        Some(memory) => {
            let (total, available) = (bytes(memory.total_bytes), bytes(memory.available_bytes));
            sheet.line("memory", format!("{total}, {available} available"));
        }
        None => sheet.line("memory", "unknown"),
    }
    match &machine.bandwidth {
        Some(rows) => {
            for row in rows {
                let label = count(row.threads as u64, "thread", "threads");
                let (read, copy) = (bytes(row.read as u64), bytes(row.copy as u64));
                sheet.line(
                    format!("  {label}"),
                    format!("reads {read}/s, copies {copy}/s (read + written)"),
                );
            }
        }
        None => sheet.line("", "too little is available to measure the bandwidth"),
    }
    machine.devices.iter().for_each(|device| add_device(&mut sheet, device));
    sheet.gap();
    for backend in &machine.backends {
        let state = if backend.available { "yes" } else { "no" };
        sheet.line(backend.name, format!("{state}: {}", backend.reason));
    }
    sheet
}

fn add_device(sheet: &mut Sheet, device: &Device) {
    let label = format!("cuda:{}", device.ordinal);
    match &device.description {
        Some(description) => {
            let DeviceDescription { name, compute_capability, multiprocessors, driver, .. } =
                description;
            sheet.line(label, format!("{name}, compute capability {compute_capability}"));
            let total = bytes(description.total_bytes);
            let free = description.available_bytes.map_or("unknown".to_owned(), bytes);
            sheet.line("", format!("{multiprocessors} multiprocessors, {total}, {free} available"));
            sheet.line("", format!("driver for CUDA {driver}"));
        }
        None => sheet.line(label, device.reason.as_deref().unwrap_or("cannot be used")),
    }
}
