using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What a call of a stream is told: a reply, why there is none, or at a gateway what the instance has said.</summary>
internal readonly record struct StreamedAnswer
{
    private readonly IngressReply? _reply;
    private readonly IngressStreamedReply? _said;

    private StreamedAnswer(Problem? problem, IngressReply? reply, IngressStreamedReply? said) =>
        (Problem, _reply, _said) = (problem, reply, said);

    /// <summary>Why there is no reply; null if there is one, or an instance has said why.</summary>
    public Problem? Problem { get; }

    /// <summary>Bytes of it that are kept until it is written. Of an instance's own answers the core keeps them.</summary>
    public int Bytes => _said?.Reply?.Length ?? 0;

    /// <summary>What this address says of its call.</summary>
    public static StreamedAnswer Of(in IngressOutcome outcome, IngressForm form) =>
        outcome.Problem is { } problem ? Of(problem) : new(null, GrpcAnswer.ReplyOf(outcome, form), null);

    /// <summary>A problem.</summary>
    public static StreamedAnswer Of(Problem problem) => new(problem, null, null);

    /// <summary>What an instance has said.</summary>
    public static StreamedAnswer Of(in IngressStreamedReply said) => new(null, null, said);

    /// <summary>Writes it for the call of this number.</summary>
    public void WriteTo(IngressBatchWriter batch, ulong id)
    {
        if (Problem is not null)
        {
            batch.Add(id, GrpcAnswer.RefusalOf(Problem));
        }
        else if (_reply is not null)
        {
            batch.Add(id, _reply);
        }
        else if (_said?.Refusal is { } refusal)
        {
            batch.Add(id, refusal);
        }
        else
        {
            batch.AddWritten(id, _said?.Reply ?? []);
        }
    }
}
