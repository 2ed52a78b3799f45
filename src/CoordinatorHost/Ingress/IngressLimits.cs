namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Limits of the address for calls from outside. A flood ends at them.</summary>
internal sealed record IngressLimits
{
    /// <summary>Those of the product.</summary>
    public static IngressLimits Product { get; } = new();

    /// <summary>Connections at once.</summary>
    public int Connections { get; init; } = 4096;

    /// <summary>Requests that are being answered at once.</summary>
    public int Requests { get; init; } = 2048;

    /// <summary>The same of one caller.</summary>
    public int RequestsOfOne { get; init; } = 1024;

    /// <summary>Queries of them that the app is being asked: fewer than it takes at once, so that those at the admin address fit.</summary>
    public int Queries { get; init; } = 500;

    /// <summary>The same of one caller.</summary>
    public int QueriesOfOne { get; init; } = 250;

    /// <summary>Queries that are watched at once, each with its arguments: each takes one of the app's places for questions.</summary>
    public int Watches { get; init; } = 200;

    /// <summary>The same of one caller.</summary>
    public int WatchesOfOne { get; init; } = 100;

    /// <summary>The time between two times that a watched query is asked, at least.</summary>
    public TimeSpan WatchPause { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How often the app is asked in a second for all watched queries together, at most: of many, each waits longer.</summary>
    public int WatchAsks { get; init; } = 500;

    /// <summary>How long those who watch wait for an app that is away, before they have to come again.</summary>
    public TimeSpan WatchPatience { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long a stream of events may be silent.</summary>
    public TimeSpan WatchBeat { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How long a query is watched at most by one request.</summary>
    public TimeSpan WatchTime { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>Those of streams of calls.</summary>
    public StreamLimits Streams { get; init; } = new();

    /// <summary>Bytes of a body.</summary>
    public int Body { get; init; } = 1 << 20;

    /// <summary>Bytes of a question about services: names of symbols and files are short.</summary>
    public int Question { get; init; } = 64 << 10;

    /// <summary>Questions about services in one stream.</summary>
    public int Questions { get; init; } = 1000;

    /// <summary>How long such a stream may be open.</summary>
    public TimeSpan QuestionsTime { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>Bytes of all bodies of requests that are being answered, unless one alone has more.</summary>
    public long MostBodies { get; init; } = 256L << 20;

    /// <summary>The same, so that one of a caller and one of another always fit.</summary>
    public long Bodies => Math.Max(MostBodies, 2L * Body);

    /// <summary>The same of one caller.</summary>
    public long BodiesOfOne => Bodies / 2;

    /// <summary>Bytes in each second that a body must bring, after <see cref="BodyGrace"/>.</summary>
    public double BodyRate { get; init; } = 240;

    /// <summary>How long a body may be slower.</summary>
    public TimeSpan BodyGrace { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How long the first bytes of a completion may take that say for which awakeable it is.</summary>
    public TimeSpan Proof { get; init; } = TimeSpan.FromSeconds(4);

    /// <summary>How long the body of a completion may take where no rate is asked for.</summary>
    public static TimeSpan Completion => TimeSpan.FromMinutes(1);

    /// <summary>How long the head of a request may take.</summary>
    public TimeSpan Head { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long a request waits for its answer if it does not say.</summary>
    public TimeSpan Wait { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long it waits at least: so long the log may take to say what it has.</summary>
    public TimeSpan LeastWait { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How long it may wait at most.</summary>
    public TimeSpan MostWait { get; init; } = TimeSpan.FromMinutes(5);
}
