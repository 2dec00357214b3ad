//! `resend_messages`: sends messages again, by what sent them or by something else.

use super::OfMessages;
use crate::failure::Failure;
use crate::messages::resend;
use crate::messages::sender::Sender;
use crate::tasks::params::{TaskParams, refused};
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Message, RouteId};
use hub_view::Refusal;

struct ResendMessages {
    route_id: Option<RouteId>,
    route: Option<Sender>,
}

pub(super) fn read(given: &TaskParams) -> Result<Box<dyn OfMessages>, Refusal> {
    given.may_have(&["route_id"])?;
    Ok(Box::new(ResendMessages {
        route_id: given.route_id,
        route: None,
    }))
}

impl OfMessages for ResendMessages {
    fn begin(&mut self, work: &mut UnitOfWork<'_, '_>) -> Result<(), Failure> {
        let Some(id) = self.route_id else {
            return Ok(());
        };
        self.route = Sender::find_in(work.hub, work.tx, work.project, id)?;
        let rule = "is not the id of a phone or route of this project";
        match self.route {
            Some(_) => Ok(()),
            None => Err(refused("route_id", rule).into()),
        }
    }

    fn change(&self, work: &mut UnitOfWork<'_, '_>, message: Message) -> Result<(), Failure> {
        resend::one(work, message, self.route.as_ref()).map(drop)
    }
}
