using System.Text;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Testing;

/// <summary>
/// A caller outside of a test's world that completes an awakeable, again and again until there is a last word: whether it was open.
/// </summary>
internal sealed class WorldCompletion(TestWorld world, string url, AwakeableForm form, byte[] body, TaskCompletionSource<bool> answer)
{
    private const string Scheme = "http://", Domain = ".test", Path = "/v1/awakeables/";
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(20);

    /// <summary>Address of the awakeables of an instance.</summary>
    public static string AddressOf(string name) => Scheme + name + Domain;

    /// <summary>Completes one with a value.</summary>
    public static WorldCompletion Of<T>(TestWorld world, string url, T value, TaskCompletionSource<bool> answer) =>
        new(world, url, AwakeableForm.Value, AwakeableTypes.Encode(value), answer);

    /// <summary>Rejects one.</summary>
    public static WorldCompletion Rejecting(TestWorld world, string url, string reason, TaskCompletionSource<bool> answer) =>
        new(world, url, AwakeableForm.Rejection, Encoding.UTF8.GetBytes(reason), answer);

    /// <summary>Begins.</summary>
    public void Start()
    {
        int end = url.IndexOf(Domain + Path, StringComparison.Ordinal);
        if (!url.StartsWith(Scheme, StringComparison.Ordinal) || end < 0
            || !AwakeableId.TryParse(url[(end + Domain.Length + Path.Length)..], out AwakeableId id))
        {
            throw new ImmortalTestException($"'{url}' is no address of an awakeable in this world.");
        }

        TestNode node = world.Get(url[Scheme.Length..end]);
        var process = new VirtualProcess(world.Loop, null);
        _ = process.Start("outside", () => RunAsync(node, id, process.Time));
    }

    private async Task RunAsync(TestNode node, AwakeableId id, TimeProvider time)
    {
        try
        {
            bool? isTaken;
            while ((isTaken = await TryAsync(node, id, time)) is null)
            {
                await Task.Delay(s_pause, time);
            }

            answer.TrySetResult(isTaken.Value);
        }
        catch (ImmortalTestException error)
        {
            answer.TrySetException(error);
        }
    }

    // Null while there is no last word.
    private async Task<bool?> TryAsync(TestNode node, AwakeableId id, TimeProvider time)
    {
        using var patience = new CancellationTokenSource(s_patience, time);
        try
        {
            if (node.Core is not { } core)
            {
                return null;
            }

            ulong sent = (ulong)KeyHash.Of($"{form} {Convert.ToHexString(body)}").Value;
            OutsideReply reply = await core.Awakeables.CompleteAsync(id, form, body, sent, patience.Token);
            return reply switch
            {
                { Kind: OutsideReplyKind.Answer, Form: (byte)RpcForm.Value, Bytes.Length: 1 } =>
                    reply.Bytes.Span[0] == AwakeableCompletion.Taken,
                { Kind: OutsideReplyKind.Answer } =>
                    throw new ImmortalTestException($"{node.Describe()}: the app has not understood what completes {url}."),
                { Kind: OutsideReplyKind.Unknown } => throw new ImmortalTestException($"'{url}' was not given out."),
                _ => null,
            };
        }
        catch (OperationCanceledException)
        {
            return null;
        }
    }
}
