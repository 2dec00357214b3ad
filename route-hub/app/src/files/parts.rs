//! Names of the blobs in which a task has the parts of a file, until it ends.

use hub_media::BlobName;
use hub_view::Refusal;
use postrider_model::TaskId;

/// Characters that tell two writings of one part apart.
const MARK_CHARS: usize = 10;

/// Returns a name that no other writing of this part has.
pub(crate) fn part_name(
    random: &crate::random::Random,
    task: TaskId,
    number: u32,
) -> Result<BlobName, Refusal> {
    let mark = random.typed::<MARK_CHARS>();
    let name = BlobName::new(format!("{task}.{number}.{mark}"));
    name.ok_or_else(|| Refusal::internal("an id is no name of a blob"))
}

/// Returns the task and the number of the part that a blob has.
pub(super) fn part_of(name: &BlobName) -> Option<(TaskId, u32)> {
    let mut words = name.as_str().split('.');
    let (task, number) = (words.next()?, words.next()?);
    words.next()?;
    Some((task.parse().ok()?, number.parse().ok()?))
}
