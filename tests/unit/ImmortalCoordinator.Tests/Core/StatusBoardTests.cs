using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>What is asked from other threads crosses to the core's context, and nothing of what it makes go wrong stays there.</summary>
public sealed class StatusBoardTests
{
    private readonly KeptPosts _context = new();

    [Fact]
    public async Task Whatever_a_question_makes_go_wrong_is_its_answer_and_never_escapes_on_the_cores_context()
    {
        using var board = new StatusBoard(
            "bank",
            _context,
            static _ => throw new KeyNotFoundException("planted"),
            static () => throw new KeyNotFoundException("planted"),
            static _ => throw new KeyNotFoundException("planted"),
            static () => throw new KeyNotFoundException("planted"));
        Task[] asked = Ask(board);
        board.RequestDrain("a test");
        Assert.Null(Record.Exception(_context.RunAll));
        foreach (Task question in asked)
        {
            await Assert.ThrowsAsync<KeyNotFoundException>(() => question).OrFail();
        }
    }

    [Fact]
    public async Task Where_there_is_nobody_to_ask_the_answer_says_so_and_why()
    {
        using var board = new StatusBoard("bank", _context, static _ => { }, static () => null, static _ => { }, static () => null);
        board.Starts("it waits for the right to append to its log");
        Task[] asked = Ask(board);
        _context.RunAll();
        foreach (Task question in asked)
        {
            NotServingException said = await Assert.ThrowsAsync<NotServingException>(() => question).OrFail();
            Assert.Equal(
                "IC-1044 nobody can answer that now | bank: starting, it waits for the right to append to its log | nothing was changed | "
                + "ask again when GET /readyz answers 200",
                said.Message);
        }
    }

    [Fact]
    public async Task Who_waits_when_the_core_ends_is_told_and_so_is_who_asks_afterwards()
    {
        var board = new StatusBoard("bank", _context, static _ => { }, static () => null, static _ =>
            throw new InvalidOperationException("it has ended"), static () => null);
        Task[] early = Ask(board);
        board.Dispose();
        Task[] late = Ask(board);
        board.RequestDrain("a test");
        foreach (Task question in (Task[])[.. early, .. late])
        {
            await Assert.ThrowsAsync<NotServingException>(() => question).OrFail();
        }

        _context.RunAll();
    }

    private static Task[] Ask(StatusBoard board) =>
    [
        board.StateAsync(hashOnly: true, default),
        board.QueryAsync(new AppQuery([], 0), default),
        board.CheckpointAsync(default),
        board.DeadLettersAsync(null, default),
        board.ChangeDeadLetterAsync(DeadLetterVerb.Retry, default, default),
    ];

    /// <summary>Keeps what is posted until the test runs it, on its own thread.</summary>
    private sealed class KeptPosts : SynchronizationContext
    {
        private readonly Queue<(SendOrPostCallback Callback, object? State)> _posts = [];

        public override void Post(SendOrPostCallback d, object? state) => _posts.Enqueue((d, state));

        public void RunAll()
        {
            while (_posts.TryDequeue(out (SendOrPostCallback Callback, object? State) post))
            {
                post.Callback(post.State);
            }
        }
    }
}
