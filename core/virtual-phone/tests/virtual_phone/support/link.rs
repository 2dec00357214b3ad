//! The hub's end of the link: the session machine over a WebSocket, "committing" to memory.

use super::hub::{End, Exposed, HOST, Shared, State};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::{SinkExt, StreamExt};
use postrider_link::{
    close::CloseCode,
    codec,
    frame::{Hello, HubFrame, PhoneFrame, Revoke, Send},
    session::hub::{Circumstances, Decision, DeviceLink, HubOutput, HubSession, decide},
    signature,
};
use ring::signature::{ED25519, UnparsedPublicKey};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_tungstenite::{
    WebSocketStream, accept_hdr_async,
    tungstenite::{
        Message,
        handshake::server::{Request, Response},
        protocol::CloseFrame,
    },
};

struct Connection {
    number: usize,
    socket: WebSocketStream<TcpStream>,
    session: HubSession,
    shared: Arc<Shared>,
    is_over: bool,
}

pub(crate) async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    #[expect(clippy::result_large_err, reason = "the library's own signature")]
    let with_protocol = |request: &Request, mut response: Response| {
        let asked = request.headers()["sec-websocket-protocol"].clone();
        response
            .headers_mut()
            .insert("sec-websocket-protocol", asked);
        Ok(response)
    };
    let Ok(socket) = accept_hdr_async(stream, with_protocol).await else {
        return;
    };
    let number = {
        let mut state = shared.state();
        state.connections += 1;
        state.connections
    };
    let nonce = URL_SAFE_NO_PAD.encode(format!("nonce-of-connection-{number:06}"));
    let session = HubSession::new(shared.settings(), nonce.parse().unwrap(), shared.now());
    let mut connection = Connection {
        number,
        socket,
        session,
        shared,
        is_over: false,
    };
    connection.run().await;
    connection.shared.state().connected.remove(&number);
}

impl Connection {
    async fn run(&mut self) {
        while !self.is_over {
            let shared = self.shared.clone();
            let bell = shared.bell.notified();
            self.drain().await;
            self.expose();
            self.drain().await;
            if self.is_over || self.ends_as_asked().await {
                return;
            }
            tokio::select! {
                message = self.socket.next() => self.take(message),
                () = bell => {}
            }
        }
    }

    fn take(&mut self, message: Option<Result<Message, tokio_tungstenite::tungstenite::Error>>) {
        let now = self.shared.now();
        match message {
            Some(Ok(Message::Text(_))) if self.shared.state().is_mute => {}
            Some(Ok(Message::Text(text))) => match codec::decode_phone(text.as_bytes()) {
                Ok(frame) => {
                    self.note(&frame);
                    self.session.handle_frame(frame, now);
                }
                Err(error) => self.session.handle_malformed(error),
            },
            Some(Ok(Message::Close(frame))) => {
                let code = frame.and_then(|frame| CloseCode::from_code(frame.code.into()));
                self.shared.state().closed_with.extend(code);
                self.is_over = true;
            }
            Some(Ok(_)) => {}
            Some(Err(_)) | None => self.is_over = true,
        }
    }

    fn note(&self, frame: &PhoneFrame) {
        let mut state = self.shared.state();
        match frame {
            PhoneFrame::Bye(bye) => state.byes.push(bye.code),
            PhoneFrame::Ping(ping) => state.pings.push(ping.next_s),
            _ => {}
        }
    }

    async fn ends_as_asked(&mut self) -> bool {
        let end = self.shared.state().wants_end.take();
        match end {
            None => return false,
            Some(End::Cut) => {}
            Some(End::Close(code)) => self.close(code).await,
            Some(End::Drain(retry_ms)) => {
                self.session.drain(retry_ms, self.shared.now());
                self.drain().await;
                return self.is_over;
            }
            Some(End::Garbage) => {
                let garbage = Message::text("{\"t\":\"send\",\"t\":\"send\"}");
                self.socket.send(garbage).await.unwrap();
                return false;
            }
        }
        true
    }

    /// Exposes what waits: "committed" before its frame is written.
    fn expose(&mut self) {
        let shared = self.shared.clone();
        let mut state = shared.state();
        if !self.session.is_open() {
            return;
        }
        while let Some(message) = state.to_revoke.pop() {
            let Some(s) = self.session.assign_control() else {
                break;
            };
            if let Some(device) = &mut state.device {
                device.link.down_sent = s;
            }
            let (id, ep) = (message.id, message.ep);
            let revoke = HubFrame::Revoke(Revoke { s, id, ep });
            self.session.down_committed(revoke);
        }
        while !state.waiting.is_empty() {
            let Some(s) = self.session.assign_send() else {
                return;
            };
            let mut send = state.waiting.remove(0);
            send.s = s;
            if let Some(device) = &mut state.device {
                device.link.down_sent = s;
            }
            let exposed = Exposed {
                send: send.clone(),
                states: Vec::new(),
                code: None,
            };
            state.exposed.insert(send.id, exposed);
            self.session.down_committed(HubFrame::Send(send));
        }
    }

    async fn drain(&mut self) {
        while let Some(output) = self.session.poll_output() {
            match output {
                HubOutput::Identify(hello) => self.identify(&hello),
                HubOutput::Fact(frame) => {
                    if let Some(up) = self.commit(frame) {
                        self.session.facts_committed(up, self.shared.now());
                    }
                }
                HubOutput::Acked { down } => {
                    if let Some(device) = &mut self.shared.state().device {
                        device.link.down_acked = down;
                    }
                }
                HubOutput::Unpaired => self.shared.state().unpaired = true,
                HubOutput::Write(frame) => {
                    let text = codec::encode(&frame).unwrap();
                    self.is_over |= self.socket.feed(Message::text(text)).await.is_err();
                }
                HubOutput::Close(code) => {
                    self.shared.state().closed_with.push(code);
                    self.close(code).await;
                    self.is_over = true;
                }
                HubOutput::HeldPage { rows } => self.shared.state().shown.extend(rows),
                HubOutput::Reconciled { link, restarts } => self.reconcile(link, restarts),
            }
        }
        self.is_over |= self.socket.flush().await.is_err();
    }

    fn commit(&mut self, frame: PhoneFrame) -> Option<u64> {
        let mut state = self.shared.state();
        if state.loses_facts {
            self.is_over = true;
            return None;
        }
        let s = frame.s()?;
        let device = state.device.as_mut()?;
        assert_eq!(s, device.link.up + 1, "a gap or a repeat was passed on");
        device.link.up = s;
        state.store(frame);
        Some(s)
    }

    fn identify(&mut self, hello: &Hello) {
        let shared = self.shared.clone();
        let mut state = shared.state();
        let refusal = state.refuses.or_else(|| {
            let device = state.device.as_ref().filter(|it| it.id == hello.phone);
            let key = device.map(|device| UnparsedPublicKey::new(&ED25519, device.key.clone()));
            let bytes = signature::expected_bytes(HOST, self.session.nonce(), hello);
            let is_sound = key.is_some_and(|key| key.verify(&bytes, &hello.sig.0).is_ok());
            (!is_sound).then_some(CloseCode::NotKnown)
        });
        if let Some(code) = refusal {
            return self.session.refused(code);
        }
        let around = Circumstances {
            generation: 1 + state.restores,
            own_generation: 0,
            overtaken: false,
            install_is_lost: false,
        };
        let device = state.device.as_mut().unwrap();
        match decide(hello, &device.link, around) {
            Decision::Admit(admission) => {
                device.link = admission.link.clone();
                let resume = match admission.reconcile {
                    None => state.unreceived(hello.down),
                    Some(_) => Vec::new(),
                };
                state.connected.insert(self.number);
                drop(state);
                self.session.admitted(*admission, resume, shared.now());
            }
            refused => self.session.refused(refused.close_code().unwrap()),
        }
    }

    /// The counters start again: what was exposed stays with the phone.
    fn reconcile(&mut self, link: DeviceLink, restarts: bool) {
        {
            let mut state = self.shared.state();
            if let Some(device) = &mut state.device {
                device.link = link;
            }
            for exposed in state.exposed.values_mut().filter(|_| restarts) {
                exposed.send.s = 0;
            }
        }
        self.session.reconciled(Vec::new(), self.shared.now());
    }

    async fn close(&mut self, code: CloseCode) {
        let frame = CloseFrame {
            code: code.code().into(),
            reason: "".into(),
        };
        // The phone may have gone first.
        drop(self.socket.close(Some(frame)).await);
    }
}

impl State {
    fn store(&mut self, frame: PhoneFrame) {
        if let PhoneFrame::Event(event) = &frame
            && let Some(exposed) = self.exposed.get_mut(&event.id)
            && event.part.is_none()
        {
            exposed.states.push(event.state);
            exposed.code.clone_from(&event.code);
        }
        self.facts.push(frame);
    }

    fn unreceived(&self, down: u64) -> Vec<Send> {
        let sends = self.exposed.values().map(|exposed| &exposed.send);
        sends.filter(|send| send.s > down).cloned().collect()
    }
}
