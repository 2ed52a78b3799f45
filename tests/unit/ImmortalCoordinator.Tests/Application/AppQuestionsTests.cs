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
        var questions = new AppQuestions(converses: true, (_, _, _) => sent++, static () => Lsn.None, static () => true);
        questions.End();
        var state = new TaskCompletionSource<AppState>();
        questions.RequestState(hashOnly: false, state);
        var answer = new TaskCompletionSource<AppAnswer>();
        questions.Ask(new AppQuery([0, 0, 1], AtLeast: 0), answer);
        await Assert.ThrowsAsync<NotServingException>(() => state.Task.WaitAsync(TimeSpan.FromSeconds(1)));
        await Assert.ThrowsAsync<NotServingException>(() => answer.Task.WaitAsync(TimeSpan.FromSeconds(1)));
        Assert.Equal(0, sent);
    }

    [Fact] // Between two records that are executed again there are states that were told long ago.
    public void A_question_about_the_present_waits_until_the_app_has_come_to_the_end_of_its_log()
    {
        int sent = 0;
        bool acts = false;
        var questions = new AppQuestions(converses: true, (_, _, _) => sent++, static () => Lsn.None, () => acts);
        questions.Ask(new AppQuery([0, 0, 1], AtLeast: 0) { OfPresent = true }, new TaskCompletionSource<AppAnswer>());
        questions.Moved(new Lsn(7));
        Assert.Equal(0, sent);
        questions.Ask(new AppQuery([0, 0, 1], AtLeast: 0), new TaskCompletionSource<AppAnswer>());
        Assert.Equal(1, sent);
        acts = true;
        questions.Acts();
        Assert.Equal(2, sent);
    }
}
