namespace Ambrosia.Primitives.Errors;

/// <summary>IC-40xx: peers. These end a connection and not the process.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class PeerErrors
{
    public static ErrorCode PeerProtocolVersion { get; } = new(
        4001, "peer refused: no common protocol version", exit: null,
        meaning: "No common version of the peer protocol.",
        safe: "all messages stay with their sender",
        advice: "use versions that fit");

    public static ErrorCode WrongPeer { get; } = new(
        4002, "wrong instance or cluster", exit: null,
        meaning: "The wrong instance or cluster answered, or an instance called itself.",
        safe: "nothing was logged",
        advice: "correct the catalog's entry, `--cluster` or `--advertise`");

    public static ErrorCode PeerBrokeProtocol { get; } = new(
        4003, "peer broke the protocol", exit: null,
        meaning: "A peer broke the handshake or the framing, or sent what only an immortal itself can tell (the outcome of an "
            + "effect), or a call that claims to come from outside.",
        safe: "nothing of the broken frame was logged",
        advice: "see the address in the line: who connects there? A frame that exceeds the limit holds a message that is larger "
            + "than the receiver's `--max-message-size`: raise it there");

    public static ErrorCode UnknownIdentity { get; } = new(
        4004, "unknown identity of a peer", exit: null,
        meaning: "A peer shows an identity that the catalog does not know: a copied or erased instance.",
        safe: "nothing of it was logged",
        advice: "remove the copy, or start the new instance once so that the catalog knows it");

    public static ErrorCode ConnectionReplaced { get; } = new(
        4005, "connection replaced by a newer one", exit: null,
        meaning: "A connection was replaced by a newer one of the same peer.",
        safe: "nothing is lost or doubled",
        advice: "nothing: it settles by itself");

    public static ErrorCode CertificateUntrusted { get; } = new(
        4010, "certificate missing or not trusted", exit: null,
        meaning: "The other side shows no certificate, or one that comes from none of the authorities.",
        safe: "nothing of it was read, nothing was sent",
        advice: "sign it by an authority of `--peer-trusted-ca-file`, or add that one to the file");

    public static ErrorCode CertificateExpired { get; } = new(
        4011, "certificate expired or not valid yet", exit: null,
        meaning: "The other side's certificate has expired or is not valid yet.",
        safe: "nothing of it was read, nothing was sent",
        advice: "replace it over there; compare the clocks of both machines");

    public static ErrorCode CertificateNamesNone { get; } = new(
        4012, "certificate does not name one instance", exit: null,
        meaning: "The other side's certificate does not name one instance: no URI, several, or one of another form.",
        safe: "nothing of it was read, nothing was sent",
        advice: "exactly one URI, as `--peer-identity` says");

    public static ErrorCode CertificateOfAnother { get; } = new(
        4013, "certificate of another instance", exit: null,
        meaning: "The certificate is that of another instance than is claimed, or than was looked for.",
        safe: "nothing was logged, nothing was sent",
        advice: "the right files for each; if they are right, correct the catalog's entry: who listens there?");

    public static ErrorCode CertificateUsage { get; } = new(
        4014, "certificate not meant for this use", exit: null,
        meaning: "The certificate is not meant for this: for clients only where it listens, for servers only where it connects.",
        safe: "nothing of it was read, nothing was sent",
        advice: "`extendedKeyUsage=serverAuth,clientAuth`");

    public static ErrorCode NoTls { get; } = new(
        4015, "no TLS 1.3", exit: null,
        meaning: "No TLS 1.3: it speaks plainly, an older version, or nothing at all.",
        safe: "nothing of it was read",
        advice: "see the address in the line; a coordinator there needs certificates, too");

    public static ErrorCode BrokenOff { get; } = new(
        4016, "other side broke off", exit: null,
        meaning: "The other side broke off before it said anything: most likely it does not believe this certificate.",
        safe: "nothing was sent",
        advice: "its log has the reason");

    public static ErrorCode PeerNotAllowed { get; } = new(
        4017, "peer not in --allow-peers", exit: null,
        meaning: "A peer that `--allow-peers` does not name.",
        safe: "nothing of it was logged",
        advice: "add it, if it may send to this instance");

    public static ErrorCode NoCertificates { get; } = new(
        4018, "destination elsewhere, and no certificates", exit: null,
        meaning: "The destination is on another machine, and there are no certificates.",
        safe: "nothing was sent, all messages wait",
        advice: "give certificates: [security.md](security.md); or `--allow-plaintext-peers` on a network that you trust");

    public static ErrorCode NewCertificatesUnusable { get; } = new(
        4019, "changed certificates unusable", exit: null,
        meaning: "The files with certificates have changed and cannot be used.",
        safe: "those read before stay in use, all connections go on",
        advice: "correct what the line names; the next connection reads them again");

    /// <summary>All of them, by number.</summary>
    public static IReadOnlyList<ErrorCode> All { get; } =
    [
        PeerProtocolVersion, WrongPeer, PeerBrokeProtocol, UnknownIdentity, ConnectionReplaced, CertificateUntrusted,
        CertificateExpired, CertificateNamesNone, CertificateOfAnother, CertificateUsage, NoTls, BrokenOff, PeerNotAllowed,
        NoCertificates, NewCertificatesUnusable,
    ];
}
