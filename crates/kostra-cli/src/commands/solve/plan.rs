//! What the arguments of `kostra solve` mean.

use kostra::external::ExternalError;
use kostra::forest_file::ForestFormat;
use kostra::{DeviceChoice, RequestError, Solve};
use kostra_core::{OptionValue, Order, Platform};
use kostra_io::{ColumnOptions, Input};

use super::arguments::Arguments;
use super::constraints::ConstraintPlan;
use super::external::External;
use crate::algorithm::{AUTO, ChosenAlgorithm, partition_users};
use crate::arguments::NanChoice;
use crate::file_roles;
use crate::forest_file::Destination;
use crate::input::{InputRequest, file};

pub(super) struct Plan {
    pub(super) input: InputRequest,
    pub(super) algorithm: ChosenAlgorithm,
    pub(super) device: DeviceChoice,
    /// Options of the algorithm and their values.
    pub(super) settings: Vec<(String, OptionValue)>,
    /// The file with the parts of the vertices, for the algorithm.
    pub(super) partition: Option<Input>,
    pub(super) order: Order,
    pub(super) constraints: Option<ConstraintPlan>,
    /// The root of the tree that contains it, by name or number.
    pub(super) root: Option<String>,
    pub(super) verify: bool,
    pub(super) trace: bool,
    /// Whether only a forest that is refuted is reported.
    pub(super) quiet: bool,
    pub(super) output: Option<Destination>,
    pub(super) json: bool,
    /// How to solve a graph whose edges do not fit into memory; none keeps the graph in memory.
    pub(super) external: Option<External>,
}

impl Plan {
    /// # Errors
    /// When the algorithm is unknown, does not run on the device, does not have the options, or
    /// does not use a partition, or when the output cannot be written.
    pub(super) fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let algorithm = ChosenAlgorithm::find(&arguments.algorithm)?;
        let device = arguments.device.unwrap_or_default();
        check(algorithm, &device, &arguments.set).map_err(spelled)?;
        let mut keep = arguments.keep;
        let keeps = !keep.is_empty();
        let constraints = ConstraintPlan::resolve(arguments.constraints, &mut keep);
        let input = InputRequest::resolve(arguments.input, NanChoice::Error).keeping(keep);
        let partition = arguments.partition.map(|name| file(&name));
        if partition.is_some() {
            check_partition(algorithm, &arguments.set)?;
        }
        let output = arguments
            .output
            .map(|path| Destination::resolve(&path, arguments.output_format))
            .transpose()?;
        let mut inputs = vec![("graph", input.source.file()), ("partition", partition.as_ref())];
        inputs.extend(constraints.iter().flat_map(ConstraintPlan::files));
        let written = output.as_ref().map(|output| &output.output);
        file_roles::check(&inputs, &[("forest", written)])?;
        let is_constrained = constraints.is_some() || arguments.root.is_some();
        check_constrained(algorithm, is_constrained)?;
        check_root(arguments.root.as_deref(), output.as_ref())?;
        check_kept(keeps, &input.options.columns, algorithm, output.as_ref())?;
        let (memory, checkpoints) = (arguments.memory, (arguments.checkpoint, arguments.resume));
        let mut plan = Self {
            input,
            algorithm,
            device,
            settings: arguments.set,
            partition,
            order: if arguments.maximum { Order::Maximum } else { Order::Minimum },
            constraints,
            root: arguments.root,
            verify: arguments.verify,
            trace: arguments.trace,
            quiet: arguments.quiet,
            output,
            json: arguments.json,
            external: None,
        };
        if let Some(memory) = memory {
            if !matches!(algorithm, ChosenAlgorithm::Auto) {
                anyhow::bail!("`--memory` has an algorithm of its own; omit `--algorithm`");
            }
            if plan.output.as_ref().is_some_and(|output| output.format == ForestFormat::Geojson) {
                anyhow::bail!("`--memory` keeps no coordinates; write .csv or .graphml");
            }
            if plan.verify && plan.input.source.file() == Some(&Input::Stdin) {
                return Err(anyhow::Error::msg(ExternalError::ReadOnce.to_string()));
            }
            let output = plan.output.as_ref().map(|destination| &destination.output);
            plan.external = Some(External::resolve(memory, checkpoints, &plan.device, output)?);
        }
        Ok(plan)
    }

    /// The number of parts that the user requires of the partition file, if there is one.
    pub(super) fn parts(&self) -> Option<u32> {
        let (_, parts) = self.settings.iter().rev().find(|(name, _)| name == PARTS)?;
        // The option's range is far below 2^32, and 0 leaves the number open.
        parts.to_string().parse().ok().filter(|parts| *parts > 0)
    }

    /// The solve in this process.
    pub(super) fn solve<'a>(&self) -> Solve<'a> {
        solve(self.algorithm, &self.device, &self.settings)
            .order(self.order)
            .threads(self.input.threads.wanted())
    }

    /// The numbers of the devices that every graph needs under this plan.
    pub(super) fn device_ordinals(&self) -> Vec<usize> {
        match &self.device {
            DeviceChoice::Automatic => {
                let info = self.algorithm.info();
                let needs_one = info.is_some_and(|info| info.platform == Platform::Cuda);
                if needs_one { vec![0] } else { Vec::new() }
            }
            device => device.ordinals().to_vec(),
        }
    }
}

/// Refuses constraints and a root if the algorithm does not suit them.
fn check_constrained(algorithm: ChosenAlgorithm, is_constrained: bool) -> anyhow::Result<()> {
    match algorithm.info().filter(|_| is_constrained) {
        Some(info) if info.platform == Platform::Mpi => anyhow::bail!(
            "constraints and `--root` need a solve in one process; omit them or the algorithm"
        ),
        Some(info) if !info.exact => {
            anyhow::bail!("{} is approximate; constraints need an exact algorithm", info.id)
        }
        _ => Ok(()),
    }
}

/// Refuses a root if the output does not have both ends of an edge in order.
fn check_root(root: Option<&str>, output: Option<&Destination>) -> anyhow::Result<()> {
    use ForestFormat::{Geojson, Ids, Newick};
    match output.filter(|_| root.is_some()) {
        Some(to) if matches!(to.format, Geojson | Ids | Newick) => anyhow::bail!(
            "{}: `--root` needs output with the two ends of each edge; write .csv, .tsv, .parquet, \
             .graphml, .json or .dot",
            to.output
        ),
        _ => Ok(()),
    }
}

/// Refuses kept columns if the output cannot hold them.
fn check_kept(
    keeps: bool,
    columns: &ColumnOptions,
    algorithm: ChosenAlgorithm,
    output: Option<&Destination>,
) -> anyhow::Result<()> {
    let option = match (keeps, &columns.id) {
        (true, _) => "--keep",
        (false, Some(_)) => "--id",
        (false, None) => return Ok(()),
    };
    let is_distributed = algorithm.info().is_some_and(|info| info.platform == Platform::Mpi);
    if is_distributed {
        anyhow::bail!("`{option}` needs a solve in one process; omit it or the algorithm");
    }
    if output.is_some_and(|output| !output.format.keeps_columns()) {
        anyhow::bail!(
            "`{option}` needs output that holds columns; write a file with the extension .csv, .tsv, \
             .parquet, .geojson, .graphml, .json or .dot"
        );
    }
    Ok(())
}

/// The option of an algorithm that names the number of parts.
const PARTS: &str = "parts";

/// Refuses a partition that the algorithm does not use, and options about other partitions.
fn check_partition(
    algorithm: ChosenAlgorithm,
    settings: &[(String, OptionValue)],
) -> anyhow::Result<()> {
    if !algorithm.uses_partition() {
        let id = algorithm.info().map_or(AUTO, |info| info.id);
        let users: Vec<_> = partition_users().collect();
        anyhow::bail!(
            "{id} does not use a partition; omit `--partition`, or pass `--algorithm` with one of \
             {}",
            users.join(", ")
        );
    }
    if settings.iter().any(|(name, _)| name == "cut") {
        anyhow::bail!("`--set cut` has no effect with `--partition`; omit one of them");
    }
    Ok(())
}

/// A solve with the algorithm in this process, or one that this command chooses.
fn solve<'a>(
    algorithm: ChosenAlgorithm,
    device: &DeviceChoice,
    settings: &[(String, OptionValue)],
) -> Solve<'a> {
    let solver = algorithm.in_process().unwrap_or_default();
    let solve = Solve::new().solver(solver).device(device.clone());
    settings.iter().fold(solve, |solve, (name, value)| solve.option(name, value.clone()))
}

/// Refuses a device on which the algorithm does not run, and options that it does not have.
fn check(
    algorithm: ChosenAlgorithm,
    device: &DeviceChoice,
    settings: &[(String, OptionValue)],
) -> Result<(), RequestError> {
    #[cfg(feature = "mpi")]
    if let ChosenAlgorithm::Distributed(solver) = algorithm {
        let info = solver.info();
        if !solver.uses_device() && matches!(device, DeviceChoice::Cuda(_)) {
            return Err(RequestError::ProcessorOnly { solver: info.id });
        }
        for (name, value) in settings {
            kostra_core::Run::new().with_option(info, name, value.clone())?;
        }
        return Ok(());
    }
    solve(algorithm, device, settings).check()
}

/// The error with the options of this command.
fn spelled(error: RequestError) -> anyhow::Error {
    match error {
        RequestError::DeviceOnly { solver } => {
            anyhow::anyhow!("{solver} runs on CUDA devices only; omit `--device cpu`")
        }
        RequestError::ProcessorOnly { solver } => {
            anyhow::anyhow!("{solver} runs on the processor only; omit `--device cuda`")
        }
        RequestError::OneDevice { solver, .. } => anyhow::anyhow!(
            "{solver} runs on one device; name one, or pass `--algorithm cuda-multi`"
        ),
        error => error.into(),
    }
}
