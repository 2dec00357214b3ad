"""Certificates of the tests' own, signed by themselves or by an authority that nobody else knows."""

import datetime
import ipaddress
import os

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def self_signed(folder, name):
    """Writes a certificate for loopback, and returns its path and its key's."""
    key, subject = new_key(), subject_of(name)
    loopback = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = unsigned(key, subject, is_authority=True).issuer_name(subject)
    made = made.add_extension(x509.SubjectAlternativeName(loopback), critical=False)
    return written(folder, made.sign(key, hashes.SHA256()), key)


class Authority:
    """Signs certificates of servers; `file` is its own."""

    def __init__(self, folder, name):
        self.key, self.subject = new_key(), subject_of(name)
        own = unsigned(self.key, self.subject, is_authority=True).issuer_name(self.subject)
        own = own.sign(self.key, hashes.SHA256())
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(own.public_bytes(serialization.Encoding.PEM))

    def issue(self, folder, host):
        """Writes a certificate for a host's name, and returns its path and its key's."""
        key = new_key()
        made = unsigned(key, subject_of(host), is_authority=False).issuer_name(self.subject)
        made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        return written(folder, made.sign(self.key, hashes.SHA256()), key)


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def subject_of(name):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def unsigned(key, subject, is_authority):
    now = datetime.datetime.now(datetime.timezone.utc)
    made = x509.CertificateBuilder().subject_name(subject).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number())
    made = made.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=30))
    return made.add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)


def written(folder, certificate, key):
    cert_path, key_path = folder / "cert.pem", folder / "key.pem"
    cert_path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    # A server takes a key that only its own account can read.
    key_path.chmod(0o600)
    if os.geteuid() == 0:
        owner = folder.stat()
        os.chown(key_path, owner.st_uid, owner.st_gid)
    return cert_path, key_path
