using Ambrosia.Coordinator.Sessions;
using Ambrosia.LogStore;
using Ambrosia.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.Application;

public sealed class AppQuestionsTests
{
    [Fact] // Why it ended is found out meanwhile, which takes its time; its session is still the app's.
    public async Task Who_asks_an_app_that_has_just_ended_is_told_so()
    {
        int sent = 0;
        var questions = new AppQuestions(converses: true, (_, _, _) => sent++, static () => Lsn.None);
        questions.End();
        var state = new TaskCompletionSource<AppState>();
        questions.RequestState(hashOnly: false, state);
        var answer = new TaskCompletionSource<AppAnswer>();
        questions.Ask(new AppQuery([0, 0, 1], AtLeast: 0), answer);
        await Assert.ThrowsAsync<NotServingException>(() => state.Task.WaitAsync(TimeSpan.FromSeconds(1)));
        await Assert.ThrowsAsync<NotServingException>(() => answer.Task.WaitAsync(TimeSpan.FromSeconds(1)));
        Assert.Equal(0, sent);
    }
}
