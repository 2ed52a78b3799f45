using System.Buffers;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Transport;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Outside;

/// <summary>Awakeables through a whole core: docs/internals/outside-calls.md X29 and X32.</summary>
public sealed class AwakeableEntranceTests
{
    private static readonly BindingHello s_hello = ScriptedApp.Hello with { Features = BindingFeatures.Awakeables };

    [Theory] // X32
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_secret_comes_before_the_first_record_and_is_the_same_for_ever(bool fromCheckpoint)
    {
        var log = new LogStoreEnvironment();
        AwakeableKey first;
        await using (CoreUnderTest core = await StartAsync(log: log))
        {
            await using ScriptedApp app = await core.ConnectAppAsync();
            first = await BeginAsync(app);
            Assert.Equal("http://one", first.Address);
            if (fromCheckpoint)
            {
                Task<ulong> taken = core.Status.CheckpointAsync(default);
                await app.HearAsync(BindingMessageType.TakeCheckpoint);
                await app.SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[0]));
                await taken.OrFail();
            }
        }

        Assert.True(first.Secret.Span.IndexOfAnyExcept((byte)0) >= 0);
        await using CoreUnderTest later = await StartAsync("http://two", log);
        await using ScriptedApp next = await later.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, s_hello.Write);
        await next.HearAsync(BindingMessageType.Checkpoint);
        byte[] told = [];
        Assert.Null(await Record.ExceptionAsync(async () => told = await next.HearAsync(BindingMessageType.Awakeables)));
        Assert.Equal(first, AwakeableKey.Read(told));
        if (!fromCheckpoint)
        {
            await next.HearAsync(BindingMessageType.RecordInfo);
            await next.DoneAsync(1);
        }

        await next.HearAsync(BindingMessageType.BecomingPrimary);
        await next.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
        Task<OutsideReply> call = later.Core.Outside.CallAsync(new OutsideSubmission(null, 7, new byte[] { 1 }, 0), default);
        AwakeableKey moved = AwakeableKey.Read(await next.HearAsync(BindingMessageType.Awakeables, before: BindingMessageType.RecordInfo));
        Assert.Equal(first with { Address = "http://two" }, moved);
        (ulong lsn, long number, _) = await next.HearCallAsync();
        await next.AnswerAsync(lsn, number, 5);
        await call.OrFail();
    }

    [Fact] // Nor does it say that there is no such awakeable: a process that acts by now may have named it (X19).
    public async Task An_instance_without_an_address_has_none()
    {
        await using CoreUnderTest core = await StartAsync(address: null);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(s_hello);
        await Assert.ThrowsAnyAsync<Exception>(() => app.HearAsync(BindingMessageType.Awakeables, before: BindingMessageType.RecordInfo));
        Assert.Equal(OutsideReplyKind.Unavailable,
            core.Core.Awakeables.RefusalOf(AwakeableId.Make(new AwakeableKey(new byte[32], ""), Guid.Empty, 1, 7)));
    }

    [Fact] // X29
    public async Task A_completion_is_a_call_once_for_what_it_says()
    {
        await using CoreUnderTest core = await StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        AwakeableId id = Id(core, await BeginAsync(app));
        Task<OutsideReply> first = CompleteAsync(core, id, 1), again = CompleteAsync(core, id, 1);
        (ulong lsn, long number, AwakeableCompletion done) = await HearAsync(app);
        Assert.Equal((3L, AwakeableForm.Value, (byte)1), (done.Number, done.Form, done.Body.Span[0]));
        Assert.False(first.IsCompleted || again.IsCompleted);
        await app.AnswerAsync(lsn, number, AwakeableCompletion.Taken);
        Assert.Equal(new[] { AwakeableCompletion.Taken }, (await first.OrFail()).Bytes.ToArray());
        Assert.Equal(new[] { AwakeableCompletion.Taken }, (await again.OrFail()).Bytes.ToArray());
        Assert.Equal(new[] { AwakeableCompletion.Taken }, (await core.Core.Awakeables.LookAsync(id, 1, default).OrFail()).Bytes.ToArray());
        Task<OutsideReply> other = CompleteAsync(core, id, 2);
        (lsn, number, _) = await HearAsync(app);
        await app.AnswerAsync(lsn, number, AwakeableCompletion.NotOpen);
        Assert.Equal(new[] { AwakeableCompletion.NotOpen }, (await other.OrFail()).Bytes.ToArray());
        Assert.Equal(OutsideReplyKind.Unknown, (await core.Core.Awakeables.LookAsync(id, 3, default).OrFail()).Kind);
    }

    [Fact] // X29
    public async Task What_was_not_given_out_reaches_no_log()
    {
        await using CoreUnderTest core = await StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        AwakeableKey key = await BeginAsync(app);
        AwakeableId id = Id(core, key);
        foreach (AwakeableId forged in new[]
        {
            Id(core, new AwakeableKey(new byte[32], key.Address)), AwakeableId.Make(key, Guid.NewGuid(), 3, 7),
            Changed(id, 0), Changed(id, 2), Changed(id, 12),
        })
        {
            Assert.Equal(OutsideReplyKind.Unknown, core.Core.Awakeables.RefusalOf(forged));
            Assert.Equal(OutsideReplyKind.Unknown,
                (await core.Core.Awakeables.CompleteAsync(forged, AwakeableForm.Value, new byte[1], 1, default).OrFail()).Kind);
        }

        // Nor does one who says that it is all awakeables.
        var key2 = new OutsideKey(OutsideNames.Awakeables, KeyHash.Of("x"), 0);
        await Assert.ThrowsAsync<ArgumentException>(() =>
            core.Core.Outside.CallAsync(new OutsideSubmission(key2, 7, new byte[1], 0), default));
        await Assert.ThrowsAsync<ArgumentException>(
            () => core.Core.Outside.CallAsync(new OutsideSubmission(null, ReservedMethods.AwakeableDone, new byte[1], 0), default));
        Assert.Null(core.Core.Awakeables.RefusalOf(id));
        Task<OutsideReply> genuine = CompleteAsync(core, id, 1);
        (ulong lsn, long number, _) = await HearAsync(app);
        Assert.Equal(1, number); // The first from outside.
        await app.AnswerAsync(lsn, number, AwakeableCompletion.Taken);
        await genuine.OrFail();
    }

    [Fact] // X3
    public async Task Nothing_is_said_of_a_completion_before_it_is_durable()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await StartAsync(log: disk.Environment);
        await using ScriptedApp app = await core.ConnectAppAsync();
        AwakeableId id = Id(core, await BeginAsync(app));
        disk.Hold();
        try
        {
            Task<OutsideReply> first = CompleteAsync(core, id, 1);
            await disk.UntilHeldAsync();
            using var impatience = new CancellationTokenSource();
            Task<OutsideReply> impatient = core.Core.Awakeables.CompleteAsync(id, AwakeableForm.Value, new byte[1], 1, impatience.Token);
            await impatience.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => impatient);
            Assert.False(first.IsCompleted);
            disk.Release();
            (ulong lsn, long number, _) = await HearAsync(app);
            await app.AnswerAsync(lsn, number, AwakeableCompletion.Taken);
            Assert.Equal(OutsideReplyKind.Answer, (await first.OrFail()).Kind);
        }
        finally
        {
            disk.Release(); // Else nothing can end.
        }
    }

    [Fact] // X29: it may be open for years, and a completion that runs again finds it closed.
    public void An_awakeable_has_no_horizon()
    {
        var table = new OutsideCalls();
        var marks = new OutsideMarks();
        marks.Horizons.Add(new KeyHorizon("", 5000));
        table.Apply(marks, 0, new Lsn(1), 6000);
        var admission = new OutsideAdmission(table, new OutsideLimits());
        var request = new OutsideRequest(OutsideNames.Awakeables, KeyHash.Of("id"), 0, 9, 0, 9);
        Assert.Equal(OutsideVerdict.Admit, admission.Judge(request, 10_000, out _));
        Assert.Equal(OutsideVerdict.Admit, admission.Look(new OutsideKey(request.Caller, request.Key, 0, 9), out _));
        Assert.Equal(OutsideVerdict.Forgotten, admission.Judge(request with { Caller = "web" }, 10_000, out _));
    }

    private static Task<CoreUnderTest> StartAsync(string? address = "http://one", LogStoreEnvironment? log = null) =>
        CoreUnderTest.StartAsync(
        change: options => (options.Ingress, options.IngressUrl) = address is null ? (null, "")
        : (EndPointName.Tcp("127.0.0.1", 0), address), log: log);

    private static AwakeableId Id(CoreUnderTest core, AwakeableKey key) =>
        AwakeableId.Make(key, Guid.Parse(core.Status.Snapshot().InstanceId), 3, 7);

    private static AwakeableId Changed(AwakeableId id, int at)
    {
        char[] text = id.ToString().ToCharArray();
        text[at] = text[at] == 'A' ? 'B' : 'A';
        Assert.True(AwakeableId.TryParse(new string(text), out AwakeableId changed));
        return changed;
    }

    private static Task<OutsideReply> CompleteAsync(CoreUnderTest core, AwakeableId id, byte value) =>
        core.Core.Awakeables.CompleteAsync(id, AwakeableForm.Value, new[] { value }, value, default);

    // The app acts, and has executed its first record.
    private static async Task<AwakeableKey> BeginAsync(ScriptedApp app)
    {
        await app.BecomePrimaryAsync(s_hello);
        AwakeableKey key = AwakeableKey.Read(await app.HearAsync(BindingMessageType.Awakeables, before: BindingMessageType.RecordInfo));
        await app.HearAsync(BindingMessageType.RecordInfo);
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DoneAsync(1);
        return key;
    }

    private static async Task<(ulong Lsn, long Number, AwakeableCompletion Done)> HearAsync(ScriptedApp app)
    {
        var info = RecordInfo.Read(await app.HearAsync(BindingMessageType.RecordInfo));
        return Read(info.Lsn, await app.HearAsync(BindingMessageType.Rpc));

        static (ulong Lsn, long Number, AwakeableCompletion Done) Read(ulong lsn, byte[] rpc)
        {
            RpcHeader header = RpcHeader.Read(rpc);
            Assert.True(AwakeableCompletion.IsOne(header) & AwakeableCompletion.TryRead(header.Body, out AwakeableCompletion done));
            return (lsn, header.CallNumber, done);
        }
    }
}
