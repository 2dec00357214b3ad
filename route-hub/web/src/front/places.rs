//! How many may be here: in all, from one address before they showed who they are, and for one
//! project after that.
//!
//! A visitor is a connection, or a request that a trusted proxy passed on. It begins as a
//! [`Place`] of a stranger's, which counts for its address. A valid key or hello moves the place
//! to the project's count ([`Place::prove`]); dropping it gives it back.
//!
//! When all connections are taken, a newcomer takes the place of the stranger who has been here
//! for longest: who has a key shows it at once, so a crowd of strangers ends itself.

use crate::front::cut::Cut;
use crate::front::network::party;
use postrider_model::{OrganizationId, ProjectId};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most strangers of one address.
pub(crate) const STRANGERS_PER_ADDRESS_MAX: usize = 256;

/// How many visitors there may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Connections in all.
    pub connections: usize,
    /// Visitors of one address without a valid key or hello.
    pub per_address: usize,
    /// Visitors with a valid key or hello of one project.
    pub per_project: usize,
}

/// For whom a visitor counts who has shown who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A project, whose key or phone it is.
    Project(ProjectId),
    /// An organization, whose key reaches several projects.
    Organization(OrganizationId),
}

/// Which limit leaves no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// Of the whole hub.
    Hub,
    /// Of the visitor's address.
    Address,
    /// Of the project.
    Project,
}

/// The places of one hub.
#[derive(Debug)]
pub(crate) struct Places {
    limits: Limits,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    connections: usize,
    strangers: BTreeMap<IpAddr, usize>,
    members: BTreeMap<Owner, usize>,
    /// What ends the connections of strangers, in the order in which they came.
    by_age: BTreeMap<u64, Arc<Cut>>,
    next: u64,
    turned_away: u64,
    made_room: u64,
}

/// How many visitors there are, and what the limits came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Connections that are open.
    pub connections: usize,
    /// Visitors that count for their address.
    pub strangers: usize,
    /// Visitors for which there was no place.
    pub turned_away: u64,
    /// Strangers whose connection ended for somebody else's.
    pub made_room: u64,
}

impl Places {
    /// Makes places that nobody has taken.
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            taken: Mutex::default(),
        })
    }

    /// Gives a connection a place; `from` is `None` for an address without a cap, and `cut` ends
    /// the connection when somebody else needs the place.
    ///
    /// # Errors
    /// When its address has too many strangers here, or every place is a member's.
    pub(crate) fn connection(
        self: &Arc<Self>,
        from: Option<IpAddr>,
        cut: &Arc<Cut>,
    ) -> Result<Place, Full> {
        let mut taken = self.lock();
        let held = match from {
            Some(address) => {
                if taken.connections >= self.limits.connections && taken.by_age.is_empty() {
                    taken.turned_away += 1;
                    return Err(Full::Hub);
                }
                taken.add_stranger(party(address), self.limits.per_address, cut)?
            }
            None => Held::Exempt,
        };
        if taken.connections >= self.limits.connections
            && let Some((_, oldest)) = taken.by_age.pop_first()
        {
            oldest.cut();
            taken.made_room += 1;
        }
        taken.connections += 1;
        Ok(self.place(held, cut, true))
    }

    /// Takes in a request that a trusted proxy passed on for `from`. It counts once it stays, or
    /// has shown who it is: a key in its head does so before it counts for its address. `cut` ends
    /// the proxy's connection that it came on.
    pub(crate) fn request(self: &Arc<Self>, from: IpAddr, cut: &Arc<Cut>) -> Place {
        self.place(Held::Passing(party(from)), cut, false)
    }

    /// Returns how many visitors there are.
    pub(crate) fn load(&self) -> Load {
        let taken = self.lock();
        Load {
            connections: taken.connections,
            strangers: taken.strangers.values().sum(),
            turned_away: taken.turned_away,
            made_room: taken.made_room,
        }
    }

    fn place(self: &Arc<Self>, held: Held, cut: &Arc<Cut>, is_connection: bool) -> Place {
        Place {
            is_exempt: held == Held::Exempt,
            held: Mutex::new(held),
            places: Arc::clone(self),
            cut: Arc::clone(cut),
            is_connection,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn add_stranger(&mut self, party: IpAddr, most: usize, cut: &Arc<Cut>) -> Result<Held, Full> {
        let count = self.strangers.entry(party).or_default();
        if *count >= most {
            self.turned_away += 1;
            return Err(Full::Address);
        }
        *count += 1;
        let number = self.next;
        self.next += 1;
        self.by_age.insert(number, Arc::clone(cut));
        Ok(Held::Stranger { party, number })
    }

    fn remove(&mut self, held: Held) {
        match held {
            Held::Exempt | Held::Passing(_) => {}
            Held::Stranger { party, number } => {
                less(&mut self.strangers, &party);
                self.by_age.remove(&number);
            }
            Held::Member(owner) => less(&mut self.members, &owner),
        }
    }
}

fn less<K: Ord>(counts: &mut BTreeMap<K, usize>, of: &K) {
    let left = counts.get_mut(of).map_or(0, |count| {
        *count = count.saturating_sub(1);
        *count
    });
    if left == 0 {
        counts.remove(of);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Exempt,
    Passing(IpAddr),
    Stranger { party: IpAddr, number: u64 },
    Member(Owner),
}

/// A visitor's place, given back when this is dropped.
#[derive(Debug)]
pub struct Place {
    is_exempt: bool,
    held: Mutex<Held>,
    places: Arc<Places>,
    cut: Arc<Cut>,
    is_connection: bool,
}

impl Place {
    /// Says that the visitor stays though it has not shown who it is: it sends a body, or opens a
    /// link.
    ///
    /// # Errors
    /// When its address has too many strangers here.
    pub fn stay(&self) -> Result<(), Full> {
        if self.is_exempt {
            return Ok(());
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let Held::Passing(party) = *held else {
            return Ok(());
        };
        let most = self.places.limits.per_address;
        *held = self.places.lock().add_stranger(party, most, &self.cut)?;
        Ok(())
    }

    /// Says that the visitor has shown a valid key or hello: it counts for `owner` from now on.
    ///
    /// # Errors
    /// When that project has all its places taken; the visitor is a stranger still.
    pub fn prove(&self, owner: Owner) -> Result<(), Full> {
        if self.is_exempt {
            return Ok(());
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if *held == Held::Member(owner) {
            return Ok(());
        }
        let mut taken = self.places.lock();
        let count = taken.members.get(&owner).copied().unwrap_or(0);
        if count >= self.places.limits.per_project {
            taken.turned_away += 1;
            return Err(Full::Project);
        }
        taken.members.insert(owner, count + 1);
        taken.remove(*held);
        *held = Held::Member(owner);
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let held = *self.held.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut taken = self.places.lock();
        taken.remove(held);
        taken.connections -= usize::from(self.is_connection);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;

    fn places(connections: usize, per_address: usize, per_project: usize) -> Arc<Places> {
        Places::new(Limits {
            connections,
            per_address,
            per_project,
        })
    }

    fn project(number: i64) -> Owner {
        Owner::Project(ProjectId::new(Key::new(number).unwrap()))
    }

    fn from(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    fn request(places: &Arc<Places>, from: Option<IpAddr>) -> (Place, Arc<Cut>) {
        let cut = Arc::new(Cut::default());
        (places.request(from.unwrap(), &cut), cut)
    }

    fn connect(places: &Arc<Places>, from: Option<IpAddr>) -> Result<(Place, Arc<Cut>), Full> {
        let cut = Arc::new(Cut::default());
        Ok((places.connection(from, &cut)?, cut))
    }

    #[test]
    fn an_address_has_its_share_and_others_have_theirs() {
        let places = places(100, 2, 10);
        let first = connect(&places, from(1)).unwrap();
        let _second = connect(&places, from(1)).unwrap();
        assert_eq!(connect(&places, from(1)).unwrap_err(), Full::Address);
        assert_eq!(request(&places, from(1)).0.stay(), Err(Full::Address));
        assert!(connect(&places, from(2)).is_ok());
        drop(first);
        assert!(connect(&places, from(1)).is_ok());
    }

    #[test]
    fn who_shows_a_key_at_once_needs_no_place_of_its_address() {
        let places = places(100, 1, 1);
        let (stranger, _) = request(&places, from(1));
        stranger.stay().unwrap();
        let (customer, _) = request(&places, from(1));
        assert_eq!(customer.prove(project(1)), Ok(()));
        assert_eq!(customer.stay(), Ok(()));
        assert_eq!(stranger.prove(project(1)), Err(Full::Project));
    }

    #[test]
    fn a_thousand_phones_behind_one_address_are_no_strangers() {
        let places = places(2_000, 2, 1_000);
        let phones: Vec<_> = (0..1_000)
            .map(|_| {
                let (place, _) = connect(&places, from(1)).unwrap();
                place.prove(project(1)).unwrap();
                place
            })
            .collect();
        let (place, _) = connect(&places, from(1)).unwrap();
        assert_eq!(place.prove(project(1)), Err(Full::Project));
        assert_eq!(place.prove(project(2)), Ok(()));
        drop(phones);
        assert_eq!(
            place.prove(project(1)),
            Ok(()),
            "from one project to another"
        );
    }

    #[test]
    fn the_stranger_who_was_here_for_longest_makes_room() {
        let places = places(3, 10, 10);
        let (member, member_cut) = connect(&places, from(1)).unwrap();
        member.prove(project(1)).unwrap();
        let (_stranger, oldest) = connect(&places, from(1)).unwrap();
        let (_other, newer) = connect(&places, from(2)).unwrap();
        let (_newest, newest) = connect(&places, from(3)).unwrap();
        assert!(oldest.is_cut());
        assert_eq!(places.load().made_room, 1);
        assert!(
            ![&member_cut, &newer, &newest]
                .iter()
                .any(|cut| cut.is_cut())
        );
    }

    #[test]
    fn a_stranger_behind_a_proxy_makes_room_too() {
        let places = places(2, 10, 10);
        let (_proxy, _) = connect(&places, None).unwrap();
        let (passing, passing_cut) = request(&places, from(1));
        let (staying, staying_cut) = request(&places, from(2));
        staying.stay().unwrap();
        let (_first, _) = connect(&places, None).unwrap();
        let (_second, _) = connect(&places, None).unwrap();
        assert!(staying_cut.is_cut() && !passing_cut.is_cut());
        drop((passing, staying));
        assert!(places.lock().by_age.is_empty());
    }

    #[test]
    fn a_hub_full_of_members_takes_only_those_without_a_cap() {
        let places = places(1, 10, 10);
        let (member, _) = connect(&places, from(1)).unwrap();
        member.prove(project(1)).unwrap();
        assert_eq!(connect(&places, from(2)).unwrap_err(), Full::Hub);
        assert!(connect(&places, None).is_ok());
        let load = places.load();
        assert_eq!(
            (load.connections, load.strangers, load.turned_away),
            (1, 0, 1)
        );
        drop(member);
        assert!(connect(&places, from(2)).is_ok());
    }

    #[test]
    fn nothing_is_left_of_who_has_gone() {
        let places = places(10, 10, 10);
        for last in 0..5 {
            let (place, _) = connect(&places, from(last)).unwrap();
            place.prove(project(1)).unwrap();
            request(&places, from(100 + last)).0.stay().unwrap();
        }
        let taken = places.lock();
        assert_eq!(taken.connections, 0);
        assert!(taken.strangers.is_empty() && taken.members.is_empty() && taken.by_age.is_empty());
    }
}
