//! Faults on demand: make the service worse in a known way, so that the power of whatever measures it can be
//! measured. Off unless `TAILGATE_FAULTS` is set.

mod layer;
mod plan;

pub use layer::{Faults, inject};
pub use plan::{Plan, PlanError};
