//! Mutated frames: the decoder answers every one, and never accepts what it would not
//! write. The coverage-guided runs of `fuzz/` search further; this one is the same each time.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where its ground gives way"
)]

#[path = "common/every.rs"]
mod every;
#[path = "common/parts.rs"]
mod parts;
#[path = "common/seeded.rs"]
mod seeded;

use every::{hub_frames, phone_frames};
use postrider_link::codec::{decode_hub, decode_phone, encode};
use seeded::Seeded;

const ROUNDS: u64 = 400_000;

const PIECES: [&[u8]; 16] = [
    b"{",
    b"}",
    b"[",
    b"\"",
    b",",
    b":",
    b"\\u0074",
    b"\\ud800",
    b"\xff",
    b"9007199254740992",
    b"-1",
    b"1e999",
    b"null",
    b"\"s\":1,",
    b"\"crit\":true,",
    b"\"t\":\"later\",",
];

fn mutate(bytes: &mut Vec<u8>, random: &mut Seeded) {
    let at = random.index(bytes.len() + 1);
    match random.below(5) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => {
            bytes.remove(at);
        }
        2 => bytes.truncate(at),
        3 => {
            let from = random.index(bytes.len() + 1);
            let (from, to) = (from.min(at), from.max(at));
            let copied = bytes[from..to].to_vec();
            bytes.splice(at..at, copied);
        }
        _ => {
            let piece = PIECES[random.index(PIECES.len())];
            bytes.splice(at..at, piece.iter().copied());
        }
    }
}

#[test]
fn a_mutated_frame_is_refused_or_reads_back() {
    let mut corpus: Vec<Vec<u8>> = Vec::new();
    for frame in hub_frames() {
        corpus.push(encode(&frame).unwrap().into_bytes());
    }
    for frame in phone_frames() {
        corpus.push(encode(&frame).unwrap().into_bytes());
    }
    let mut random = Seeded(20);
    let (mut taken, mut refused) = (0_u64, 0_u64);
    for _ in 0..ROUNDS {
        let mut bytes = corpus[random.index(corpus.len())].clone();
        mutate(&mut bytes, &mut random);
        while !random.one_in(2) {
            mutate(&mut bytes, &mut random);
        }
        for decoded in [
            decode_hub(&bytes).map(|frame| match encode(&frame) {
                Ok(text) => assert_eq!(decode_hub(text.as_bytes()), Ok(frame)),
                Err(_) => assert!(frame.s().is_none_or(|s| s < 1 << 53)),
            }),
            decode_phone(&bytes).map(|frame| match encode(&frame) {
                Ok(text) => assert_eq!(decode_phone(text.as_bytes()), Ok(frame)),
                Err(_) => assert!(frame.s().is_none_or(|s| s < 1 << 53)),
            }),
        ] {
            match decoded {
                Ok(()) => taken += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(
        taken > ROUNDS / 20 && refused > ROUNDS / 20,
        "{taken} {refused}"
    );
}
