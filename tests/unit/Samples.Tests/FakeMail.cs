using Shop.Effects;

namespace Ambrosia.Samples.Tests;

/// <summary>Keeps a letter for each id, as a server does that drops repeats.</summary>
internal sealed class FakeMail : IMail
{
    public Dictionary<string, string> Subjects { get; } = [];

    public Task Send(string to, string subject, string text, EffectContext effect)
    {
        Subjects[effect.Id] = subject;
        return Task.CompletedTask;
    }
}
