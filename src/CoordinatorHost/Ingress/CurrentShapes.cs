using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.CoordinatorHost.Shapes;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What the app's methods take and return, as it told last: read once for each text.</summary>
internal sealed class CurrentShapes
{
    private readonly object _gate = new();
    private readonly AppShapes _told;
    private readonly IngressMethods _offered;
    private readonly IngressCallers? _callers;
    private readonly ILogger _logger;
    private volatile Tuple<string, AppShape?>? _read;
    private volatile Tuple<AppShape, ProtoService>? _service;

    /// <summary>Follows what the app tells.</summary>
    /// <param name="told">What it told.</param>
    /// <param name="offered">Which methods may be called.</param>
    /// <param name="callers">Which clients may call; null for all on this machine.</param>
    /// <param name="time">Clock.</param>
    /// <param name="logger">Receives warnings.</param>
    public CurrentShapes(AppShapes told, IngressMethods offered, IngressCallers? callers, TimeProvider time, ILogger logger)
    {
        (_told, _offered, _callers, _logger) = (told, offered, callers, logger);
        // Read before anybody calls: who starts an instance learns of a name that is none, and not its first caller.
        TimeSpan first = told.Text is null ? Timeout.InfiniteTimeSpan : TimeSpan.Zero;
        ITimer soon = time.CreateTimer(_ => _ = Value, null, first, Timeout.InfiniteTimeSpan);
        told.Told += () => soon.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
    }

    /// <summary>What callers are told while there are none.</summary>
    public static Problem None { get; } = new(
        StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable, "the app has not said yet what its methods take");

    /// <summary>Null while no app has told, or if what it told cannot be read.</summary>
    public AppShape? Value
    {
        get
        {
            string? text = _told.Text;
            Tuple<string, AppShape?>? read = _read;
            if (text is null || ReferenceEquals(read?.Item1, text))
            {
                return text is null ? null : read?.Item2;
            }

            lock (_gate) // So that a method is one object for all who ask.
            {
                // An app that came again tells the same: what was made of it goes on, and so does what is watched.
                (text, read) = (_told.Text!, _read);
                _read = read = Tuple.Create(text, text == read?.Item1 ? read.Item2 : Read(text));
                return read.Item2;
            }
        }
    }

    /// <summary>Their typed service, made when it is first asked for; null while there are none.</summary>
    public ProtoService? Service
    {
        get
        {
            AppShape? app = Value;
            Tuple<AppShape, ProtoService>? made = _service;
            if (app is null || ReferenceEquals(made?.Item1, app))
            {
                return app is null ? null : made?.Item2;
            }

            _service = made = Tuple.Create(app, ProtoBuilder.Build(app));
            return made.Item2;
        }
    }

    private AppShape? Read(string text)
    {
        try
        {
            AppShape app = ShapeReader.Read(text);
            Warn("--ingress-methods offers", _offered, app);
            foreach (IngressCaller caller in _callers?.Listed ?? [])
            {
                Warn($"--ingress-tokens lets {caller.Name} call", caller.Methods, app);
            }

            return app;
        }
        catch (ShapeException error)
        {
            CoordinatorLog.ShapesNotRead(_logger, error.Message);
            return null;
        }
    }

    private void Warn(string what, IngressMethods named, AppShape app)
    {
        string[] all = [.. app.Methods.Select(static method => method.Name).Distinct()];
        string strange = string.Join(", ", named.Named.Except(all));
        if (strange.Length > 0)
        {
            CoordinatorLog.OffersNoSuchMethod(_logger, what, strange, app.ShortName, string.Join(", ", all));
        }
    }
}
