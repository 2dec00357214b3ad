use postrider_model_check::{
    explore::search,
    scope::{Faults, Scope},
    system::System,
};

const BASE: Scope = Scope {
    name: "base",
    messages: 1,
    phones: 1,
    eps: 2,
    parts: 1,
    ahead: 2,
    disorderly: false,
    on_unknown_resend: false,
    acks_at_once: false,
    faults: Faults {
        hub_dies: false,
        cuts: 0,
        late_frames: false,
        late_hellos: false,
        app_dies: false,
        reboots: false,
        losses: false,
        refusals: false,
        retries: false,
        ambiguous: false,
        reports: false,
        life_ends: false,
        revokes: false,
        cancels: false,
        resends: false,
        deletes: false,
        reinstalls: false,
        removes: false,
        rolls_back: false,
        restores: false,
        goes_back: false,
    },
};

fn run(scope: Scope) {
    let _ = std::panic::catch_unwind(|| run_it(scope));
}
fn run_it(scope: Scope) {
    let begun = std::time::Instant::now();
    let found = search(&System::new(scope), 3_000_000);
    println!(
        "{}: {} states {} transitions {:?} stuck {} {:?} in {:?}",
        scope.name,
        found.states,
        found.transitions,
        found.broken,
        found.stuck.0,
        found.stuck.1,
        begun.elapsed()
    );
}

#[test]
fn trial() {
    let f = BASE.faults;
    let radio = Faults {
        app_dies: true,
        reboots: true,
        losses: true,
        refusals: true,
        retries: true,
        ambiguous: true,
        ..f
    };
    let sender = Faults {
        cancels: true,
        resends: true,
        revokes: true,
        life_ends: true,
        deletes: true,
        ..f
    };
    run(BASE);
    run(Scope {
        name: "cuts",
        faults: Faults { cuts: 1, ..f },
        ..BASE
    });
    run(Scope {
        name: "cuts+hub",
        faults: Faults {
            cuts: 1,
            hub_dies: true,
            ..f
        },
        ..BASE
    });
    run(Scope {
        name: "cuts+hub+late",
        faults: Faults {
            cuts: 1,
            hub_dies: true,
            late_frames: true,
            late_hellos: true,
            ..f
        },
        ..BASE
    });
    run(Scope {
        name: "radio",
        faults: radio,
        ..BASE
    });
    run(Scope {
        name: "radio 2 parts",
        parts: 2,
        faults: radio,
        ..BASE
    });
    run(Scope {
        name: "sender",
        faults: sender,
        ..BASE
    });
    run(Scope {
        name: "2 phones",
        phones: 2,
        acks_at_once: true,
        faults: Faults { cuts: 1, ..f },
        ..BASE
    });
    run(Scope {
        name: "2 phones revoke",
        phones: 2,
        acks_at_once: true,
        faults: Faults {
            cuts: 1,
            revokes: true,
            ..f
        },
        ..BASE
    });
    run(Scope {
        name: "disorderly",
        phones: 2,
        disorderly: true,
        acks_at_once: true,
        faults: Faults {
            cuts: 1,
            revokes: true,
            ..f
        },
        ..BASE
    });
    run(Scope {
        name: "reinstall",
        phones: 1,
        faults: Faults {
            life_ends: true,
            cuts: 1,
            reinstalls: true,
            hub_dies: true,
            ..f
        },
        ..BASE
    });
    run(Scope {
        name: "rollback",
        phones: 1,
        faults: Faults {
            cuts: 1,
            life_ends: true,
            rolls_back: true,
            hub_dies: true,
            ..f
        },
        ..BASE
    });
    run(Scope {
        name: "restore",
        phones: 2,
        acks_at_once: true,
        faults: Faults {
            cuts: 1,
            restores: true,
            ..f
        },
        ..BASE
    });
    run(Scope {
        name: "goes back",
        phones: 1,
        faults: Faults {
            cuts: 1,
            goes_back: true,
            ..f
        },
        ..BASE
    });
    run(Scope {
        name: "2 messages",
        messages: 2,
        eps: 1,
        acks_at_once: true,
        faults: Faults { cuts: 1, ..f },
        ..BASE
    });
}
