using System.Text.RegularExpressions;
using Ambrosia.Coordinator.Operations;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.Runtime;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// The part of an operator's work that deals with effects: looks at what an instance says of them, and decides by the requests that
/// <c>ambrosia effects run</c> and <c>fail</c> make.
/// </summary>
internal sealed partial class SimEffectOperator(SimWorld world, string instance)
{
    private Random Random => world.Effects.Random;

    /// <summary>Whether effects are held, as far as the instance says.</summary>
    public static bool SeesHeld(ICoordinatorStatus status) => status.Snapshot().App.Effects.Any(static effect => effect.Held > 0);

    /// <summary>Decides about one held effect; where none is, now and then about one that is pending.</summary>
    public async Task DecideAsync(ICoordinatorStatus status, TimeProvider time, bool finish)
    {
        IReadOnlyList<EffectStatus> effects = status.Snapshot().App.Effects;
        string[] held = [.. effects.Where(static effect => effect.Held > 0).SelectMany(static effect => Keys().Matches(effect.LastError))
            .Select(static match => match.Value)];
        if (held.Length > 0)
        {
            world.Report.Sometimes(Sighting.EffectHeld);
            await DecideAsync(status, time, held[Random.Next(held.Length)], Random.Next(2) == 0);
        }
        else if (!finish && effects.FirstOrDefault(static effect => effect.Pending > 0) is { } pending && Random.Next(4) == 0)
        {
            await DecideAsync(status, time, pending.Oldest, run: Random.Next(3) == 0);
        }
    }

    private async Task DecideAsync(ICoordinatorStatus status, TimeProvider time, string key, bool run)
    {
        EffectKey effect = EffectWatch.KeyOf(key);
        ulong? id = run ? world.Oracle.Effects.IdOf(instance, effect) : world.Oracle.Effects.GivingUp(instance, effect);
        if (run && id is { } mended)
        {
            world.Effects.Mend(mended);
        }

        var context = new DefaultHttpContext();
        context.Request.Method = HttpMethods.Post;
        context.Request.Path = $"{EffectEndpoints.Root}{key}/{(run ? "run" : "fail")}";
        context.Request.QueryString = new QueryString(run ? "" : "?reason=by%20hand");
        await new EffectEndpoints(status, time).HandleAsync(context);
        world.Print?.Invoke($"{instance}: operator {(run ? "runs" : "gives up")} {key}: {context.Response.StatusCode}");
    }

    [GeneratedRegex(@"\d+:\d+:\d+")]
    private static partial Regex Keys();
}
