using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;
using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Hosting;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.Testing;

/// <summary>
/// A small world for a test: immortals, each with a real coordinator and a log in memory, under virtual time, on one thread. Everything in
/// it can be killed at any moment. It stands still unless the test awaits something of it, and does the same again for the same seed.
/// </summary>
public sealed class ImmortalTestHost : IAsyncDisposable
{
    private readonly Channel<Action> _commands = Channel.CreateUnbounded<Action>(new UnboundedChannelOptions { SingleReader = true });
    private readonly TestWorld _world;
    private readonly Task _running;

    private ImmortalTestHost(ImmortalTestOptions options)
    {
        _world = new TestWorld(options);
        // A thread of its own: what .NET schedules from a thread of the pool would be harder to wait for.
        _running = new ThreadLoopRunner().Start("test world", ObeyAsync);
    }

    /// <summary>Virtual time since the world began.</summary>
    public TimeSpan Elapsed => TimeSpan.FromTicks(_world.Loop.Now);

    /// <summary>The world's clock as it stands.</summary>
    public DateTimeOffset Now => Virtual.VirtualTime.At(_world.Loop.Now);

    /// <summary>Steps that the world has made: a step is what runs between two awaits of its code.</summary>
    public long Steps => _world.Loop.Steps;

    /// <summary>A world with one immortal; <see cref="Add"/> puts more into it.</summary>
    /// <param name="name">Name of the instance.</param>
    /// <param name="options">How the world is; null for the defaults.</param>
    /// <param name="configure">Options of the app, as in <c>AddImmortal</c>.</param>
    public static ImmortalTestHost Start<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] T>(
        string name, ImmortalTestOptions? options = null, Action<ImmortalOptions>? configure = null)
        where T : Immortal => new ImmortalTestHost(options ?? new ImmortalTestOptions()).Add<T>(name, configure);

    /// <summary>Adds an immortal.</summary>
    /// <returns>This world.</returns>
    public ImmortalTestHost Add<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] T>(
        string name, Action<ImmortalOptions>? configure = null)
        where T : Immortal
    {
        if (!InstanceName.IsValid(name) || name == _world.CallerNode.Name)
        {
            throw new ArgumentException(
                $"'{name}' cannot be the name of an instance: 1 to 63 letters, digits, '.', '_' or '-', beginning with a letter or digit, "
                + $"and not {Caller.Name}.", nameof(name));
        }

        var options = new ImmortalOptions();
        configure?.Invoke(options);
        _ = DoAsync(() => _world.Add(name, () => ImmortalFactory.Make<T>(_world.Options.Services), options));
        return this;
    }

    /// <summary>
    /// Calls an immortal from the test, exactly once whatever is killed: <c>await world.Call("bank", (BankProxy b) => b.DepositAsync("a",
    /// 1))</c>. Not awaited, it is on its way: kill something, then await it.
    /// </summary>
    public TestCall<T> Call<TProxy, T>(string name, Func<TProxy, DurableTask<T>> call)
        where TProxy : ImmortalProxy, new()
    {
        var answer = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        Begin(name, new AsyncWorldCall<TProxy, T>(name, call, answer), answer);
        return new TestCall<T>(this, $"The answer of {name}", answer.Task);
    }

    /// <summary>As the other one, for methods without a result.</summary>
    public TestCall Call<TProxy>(string name, Func<TProxy, DurableTask> call)
        where TProxy : ImmortalProxy, new()
    {
        var done = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Begin(name, new VoidWorldCall<TProxy>(name, call, done), done);
        return new TestCall(this, $"The answer of {name}", done.Task);
    }

    /// <summary>Sends forks from the test; done when they are sent. <see cref="IdleAsync"/> waits until they are handled.</summary>
    public TestCall Fork<TProxy>(string name, Action<TProxy> send)
        where TProxy : ImmortalProxy, new()
    {
        var sent = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Begin(name, new ForkWorldCall<TProxy>(name, send, sent), sent);
        return new TestCall(this, $"The forks to {name}", sent.Task);
    }

    /// <summary>
    /// Sends an impulse from the test; done when it is on its way. If its destination's coordinator is killed before it is in the log, it
    /// is lost.
    /// </summary>
    public TestCall Impulse<TProxy>(string name, Func<TProxy, Task> send)
        where TProxy : ImmortalProxy, new()
    {
        var sent = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Begin(name, new ImpulseWorldCall<TProxy>(name, send, sent), sent);
        return new TestCall(this, $"The impulse to {name}", sent.Task);
    }

    /// <summary>
    /// Completes an awakeable from the test, as a caller does that was given its <c>Url</c>. The result is false if it is not open.
    /// Not awaited, it is on its way: kill something, then await it.
    /// </summary>
    public TestCall<bool> Complete<T>(string url, T value)
    {
        var answer = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        return Complete(url, WorldCompletion.Of(_world, url, value, answer), answer);
    }

    /// <summary>Rejects an awakeable from the test: as <see cref="Complete{T}"/>.</summary>
    public TestCall<bool> Reject(string url, string reason = "")
    {
        var answer = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        return Complete(url, WorldCompletion.Rejecting(_world, url, reason, answer), answer);
    }

    /// <summary>
    /// The immortal's object as it is now, for assertions: call its handlers, read its fields. Never change it.
    /// </summary>
    /// <exception cref="ImmortalTestException">It is down or has not recovered yet.</exception>
    public T State<T>(string name)
        where T : Immortal
    {
        TestNode node = _world.Get(name);
        Immortal acting = node.IsPrimary ? HostedImmortal.ActingFor(node.Immortal!)
            : throw new ImmortalTestException($"{node.Describe()}. Before its state is looked at: await world.IdleAsync().");
        return acting as T ?? throw new ImmortalTestException($"{name} is a {acting.GetType().Name}, not a {typeof(T).Name}.");
    }

    /// <summary>
    /// Kills an immortal, and starts it again unless told otherwise. The world does not move: recovery happens when it does.
    /// </summary>
    /// <param name="name">Name of the instance.</param>
    /// <param name="what">What of it is killed.</param>
    /// <param name="restart">False leaves it dead until <see cref="StartAsync"/>.</param>
    public Task KillAsync(string name, Killed what = Killed.Process, bool restart = true) => DoAsync(() =>
    {
        TestNode node = _world.Get(name);
        node.Kill(what);
        if (restart)
        {
            node.Start();
        }
    });

    /// <summary>Starts what was killed of an immortal and not started again.</summary>
    public Task StartAsync(string name) => DoAsync(() => _world.Get(name).Start());

    /// <summary>
    /// Says what happens to the next attempts to perform an effect of an immortal: each call of this counts for one attempt, in order.
    /// </summary>
    /// <param name="name">Name of the instance.</param>
    /// <param name="fault">What happens.</param>
    public void Fail(string name, EffectFault fault) => _ = DoAsync(() => _world.Get(name).Fail(fault));

    /// <summary>Takes a checkpoint of an immortal, so that recovery starts from there.</summary>
    public async Task CheckpointAsync(string name)
    {
        Task<ulong>? taken = null;
        do
        {
            await RunUntilAsync(() => _world.Get(name).IsPrimary, $"The recovery of {name}");
            object? asked = null;
            await DoAsync(() =>
            {
                TestNode node = _world.Get(name);
                asked = node.Core;
                // Its answer comes as a step of the world: a thread of the pool may come after an hour of virtual time.
                SynchronizationContext? own = SynchronizationContext.Current;
                SynchronizationContext.SetSynchronizationContext(_world.CallerNode.AppContext);
                try
                {
                    taken = node.Core!.Status!.CheckpointAsync(CancellationToken.None);
                }
                finally
                {
                    SynchronizationContext.SetSynchronizationContext(own);
                }
            });
            // A coordinator that a planned fault kills meanwhile never answers; the next one is asked again.
            await RunUntilAsync(() => taken!.IsCompleted || _world.Get(name).Core != asked, $"The checkpoint of {name}");
        }
        while (!taken!.IsCompleted);
        await taken;
    }

    /// <summary>
    /// Upgrades an immortal while it runs, as <c>ambrosia upgrade</c> does: <c>await world.UpgradeAsync&lt;BankV2&gt;("bank", o =>
    /// o.UpgradeFrom((BankV1 old) => new BankV2(old)))</c>. What the world does meanwhile goes on. An immortal that is down is started as
    /// the new version.
    /// </summary>
    /// <param name="name">Name of the instance.</param>
    /// <param name="configure">Options of the new app: the conversion.</param>
    /// <exception cref="ImmortalTestException">It failed, and the old version goes on; the message says why.</exception>
    public async Task UpgradeAsync<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TNew>(
        string name, Action<ImmortalOptions> configure)
        where TNew : Immortal
    {
        ArgumentNullException.ThrowIfNull(configure);
        var options = new ImmortalOptions { InstanceName = name, Upgrade = true };
        configure(options);
        bool alone = false;
        await DoAsync(() => alone = _world.Get(name).StartAs(() => ImmortalFactory.Make<TNew>(_world.Options.Services), options));
        await RunUntilAsync(() => _world.Get(name).IsPrimary, $"The recovery of {name}");
        if (alone)
        {
            return;
        }

        Successor? successor = null;
        await DoAsync(() => successor = _world.Get(name).BeginUpgrade(() => ImmortalFactory.Make<TNew>(_world.Options.Services), options));
        await RunUntilAsync(() => _world.Get(name).EndUpgrade(successor!), $"The upgrade of {name}");
        if (successor!.Failure is { } failure)
        {
            throw new ImmortalTestException($"{name} was not upgraded, the old version goes on: {failure}");
        }
    }

    /// <summary>Begins what <see cref="UpgradeAsync"/> does, and lets nothing happen yet.</summary>
    internal async Task<Successor> BeginUpgradeAsync<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TNew>(
        string name, Action<ImmortalOptions> configure)
        where TNew : Immortal
    {
        var options = new ImmortalOptions { InstanceName = name, Upgrade = true };
        configure(options);
        Successor? successor = null;
        await DoAsync(() => successor = _world.Get(name).BeginUpgrade(() => ImmortalFactory.Make<TNew>(_world.Options.Services), options));
        return successor!;
    }

    /// <summary>Whether an upgrade has come to its end; only within <see cref="RunUntilAsync"/>.</summary>
    internal bool HasUpgraded(string name, Successor successor) => _world.Get(name).EndUpgrade(successor);

    /// <summary>The same, as things stand.</summary>
    internal Task<bool> HasUpgradedAsync(string name, Successor successor) => AskAsync(() => HasUpgraded(name, successor));

    /// <summary>
    /// Lets the world run until every immortal has recovered, and every message is handled and confirmed. Durable timers and unanswered
    /// awaits may remain.
    /// </summary>
    /// <exception cref="ImmortalTestException">That does not happen within <see cref="ImmortalTestOptions.Patience"/>, or something cannot
    /// go on.</exception>
    public Task IdleAsync() => RunUntilAsync(_world.IsIdle, "Rest");

    /// <summary>Lets virtual time pass, with everything that is due meanwhile.</summary>
    public Task AdvanceAsync(TimeSpan time) => DoAsync(() => _world.Advance(time));

    /// <summary>Sets the wall clock of an immortal's host forward or back: what takes its time must take as long as before.</summary>
    /// <param name="name">Name of the instance.</param>
    /// <param name="by">How far; negative for back.</param>
    public Task SetClockAsync(string name, TimeSpan by) => DoAsync(() => _world.Get(name).MoveClock(by));

    /// <summary>Lets the world make some steps, without any time passing: to kill something at every single one of them.</summary>
    /// <returns>How many steps there were to make, up to <paramref name="count"/>.</returns>
    public async Task<int> StepAsync(int count = 1)
    {
        int run = 0;
        await DoAsync(() => run = _world.Run(count));
        return run;
    }

    /// <summary>Ends the world. Nothing of it is left.</summary>
    public async ValueTask DisposeAsync()
    {
        _commands.Writer.TryComplete();
        await _running;
        _world.End();
    }

    internal Task RunUntilAsync(Func<bool> done, string what) => DoAsync(() => _world.RunUntil(done, what));

    private TestCall<bool> Complete(string url, WorldCompletion completion, TaskCompletionSource<bool> answer)
    {
        _ = FailOnErrorAsync(DoAsync(completion.Start), answer);
        return new TestCall<bool>(this, $"The completion of {url}", answer.Task);
    }

    private void Begin<T>(string name, WorldCall call, TaskCompletionSource<T> answer) => _ = FailOnErrorAsync(
        DoAsync(() =>
        {
            _world.Get(name);
            _world.Begin(call);
        }),
        answer);

    private static async Task FailOnErrorAsync<T>(Task begun, TaskCompletionSource<T> answer)
    {
        try
        {
            await begun;
        }
        catch (ImmortalTestException error)
        {
            answer.TrySetException(error);
        }
    }

    private async Task<T> AskAsync<T>(Func<T> question)
    {
        T answer = default!;
        await DoAsync(() => answer = question());
        return answer;
    }

    private Task DoAsync(Action command)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool taken = _commands.Writer.TryWrite(() =>
        {
            try
            {
                command();
                done.SetResult();
            }
            catch (Exception error) when (error is not OutOfMemoryException)
            {
                done.SetException(error);
            }
        });
        ObjectDisposedException.ThrowIf(!taken, this);
        return done.Task;
    }

    private async Task ObeyAsync()
    {
        SynchronizationContext? own = SynchronizationContext.Current;
        await foreach (Action command in _commands.Reader.ReadAllAsync())
        {
            // The processes of the world have contexts of their own.
            SynchronizationContext.SetSynchronizationContext(null);
            command();
            SynchronizationContext.SetSynchronizationContext(own);
        }
    }
}
