namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>The three PEM files of a coordinator's identity. They may be replaced at any time.</summary>
/// <param name="Certificate">Its certificate, and behind it those that lead to the authority, if there are any.</param>
/// <param name="Key">The private key of the first one, unencrypted.</param>
/// <param name="Authorities">Certificates of the authorities that a peer's certificate may come from.</param>
public sealed record PeerCertificateFiles(string Certificate, string Key, string Authorities);
