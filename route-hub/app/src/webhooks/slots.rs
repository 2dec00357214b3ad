//! The slots of deliveries: whose turn it is, and who may have how many.

use crate::webhooks::lane::{Class, Endpoint};
use crate::webhooks::shares::Shares;
use crate::webhooks::turns::Turns;
use postrider_model::ProjectId;

/// Most deliveries under way.
pub(crate) const SLOTS_MAX: usize = 256;
/// Most deliveries under way to failing endpoints.
pub(crate) const SLOTS_FAILING_MAX: usize = SLOTS_MAX / 4;

/// Slots, and the endpoints that wait for one, by the terms on which they would get it.
#[derive(Debug)]
pub(crate) struct Slots {
    base: Turns,
    failing: Turns,
    extra: Turns,
    shares: Shares,
    shares_failing: Shares,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            base: Turns::default(),
            failing: Turns::default(),
            extra: Turns::default(),
            shares: Shares::new(SLOTS_MAX),
            shares_failing: Shares::new(SLOTS_FAILING_MAX),
        }
    }
}

impl Slots {
    /// Takes out the endpoint whose turn it is, and says on what terms it may start a row.
    ///
    /// Slots that every endpoint has go first, then those of failing ones; more than that is for
    /// when neither waits.
    pub(crate) fn take_next(&mut self) -> Option<(Endpoint, Class)> {
        let (all, failing) = (&self.shares, &self.shares_failing);
        if let Some(endpoint) = self.base.next(|id| all.may_take(id)) {
            return Some((endpoint, Class::Base));
        }
        let may_fail = |id| all.may_take(id) && failing.may_take(id);
        if let Some(endpoint) = self.failing.next(may_fail) {
            return Some((endpoint, Class::Failing));
        }
        let endpoint = self.extra.next(|id| all.may_take_more(id))?;
        Some((endpoint, Class::Extra))
    }

    /// Moves an endpoint that waited on the terms `was` to those of `is`; `None`: among nobody.
    pub(crate) fn move_to(&mut self, endpoint: &Endpoint, was: Option<Class>, is: Option<Class>) {
        if was == is {
            return;
        }
        if let Some(class) = was {
            self.turns(class).remove(endpoint);
        }
        if let Some(class) = is {
            self.turns(class).insert(endpoint);
        }
    }

    /// Takes a slot.
    pub(crate) fn take(&mut self, project: ProjectId, class: Class) {
        self.shares.take(project, 1);
        if class == Class::Failing {
            self.shares_failing.take(project, 1);
        }
    }

    /// Gives a slot back that was taken on these terms.
    pub(crate) fn give_back(&mut self, project: ProjectId, class: Class) {
        self.shares.give_back(project, 1);
        if class == Class::Failing {
            self.shares_failing.give_back(project, 1);
        }
    }

    /// Returns how many slots are taken.
    pub(crate) fn taken(&self) -> usize {
        self.shares.taken()
    }

    fn turns(&mut self, class: Class) -> &mut Turns {
        match class {
            Class::Base => &mut self.base,
            Class::Failing => &mut self.failing,
            Class::Extra => &mut self.extra,
        }
    }

    #[cfg(test)]
    pub(crate) fn taken_by_failing(&self) -> usize {
        self.shares_failing.taken()
    }

    #[cfg(test)]
    pub(crate) fn taken_of(&self, project: ProjectId) -> usize {
        self.shares.of(project)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::testing::project;

    #[test]
    fn what_everybody_has_goes_first_and_what_is_more_goes_last() {
        let mut slots = Slots::default();
        for (n, class) in [(1, Class::Extra), (2, Class::Failing), (3, Class::Base)] {
            let endpoint = Endpoint {
                project_id: project(n),
                origin: "https://a.example:443".into(),
            };
            slots.move_to(&endpoint, None, Some(class));
        }
        let order = std::iter::from_fn(|| slots.take_next());
        let order: Vec<_> = order.map(|(_, class)| class).collect();
        assert_eq!(order, [Class::Base, Class::Failing, Class::Extra]);
    }
}
