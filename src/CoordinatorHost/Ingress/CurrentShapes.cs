using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.CoordinatorHost.Shapes;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What the app's methods take and return, as it told last: read once for each text.</summary>
internal sealed class CurrentShapes(AppShapes told, IngressMethods offered, ILogger logger)
{
    private readonly object _gate = new();
    private volatile Tuple<string, AppShape?>? _read;
    private volatile Tuple<AppShape, ProtoService>? _service;

    /// <summary>What callers are told while there are none.</summary>
    public static Problem None { get; } = new(
        StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable, "the app has not said yet what its methods take");

    /// <summary>Null while no app has told, or if what it told cannot be read.</summary>
    public AppShape? Value
    {
        get
        {
            string? text = told.Text;
            Tuple<string, AppShape?>? read = _read;
            if (text is null || ReferenceEquals(read?.Item1, text))
            {
                return text is null ? null : read?.Item2;
            }

            lock (_gate) // So that a method is one object for all who ask.
            {
                // An app that came again tells the same: what was made of it goes on, and so does what is watched.
                (text, read) = (told.Text!, _read);
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
            string strange = string.Join(", ", offered.Named.Except(app.Methods.Select(static method => method.Name)));
            if (strange.Length > 0)
            {
                string all = string.Join(", ", app.Methods.Select(static method => method.Name).Distinct());
                CoordinatorLog.OffersNoSuchMethod(logger, strange, app.ShortName, all);
            }

            return app;
        }
        catch (ShapeException error)
        {
            CoordinatorLog.ShapesNotRead(logger, error.Message);
            return null;
        }
    }
}
