using System.Globalization;
using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// Brings calls to the core, and says what it says of them: the same for HTTP and gRPC, so that each rule stands once.
/// </summary>
internal sealed class IngressCalls(
    IOutsideEntrance entrance, Func<AppQuery, CancellationToken, Task<AppAnswer>> query, CurrentShapes shapes, IngressMethods offered,
    OpenRequests queries, KeyScope keys, TimeProvider time)
{
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(2);

    /// <summary>How bodies are read.</summary>
    public static JsonDocumentOptions Json { get; } = new() { MaxDepth = 64 };

    /// <summary>The log could not say in time what is true of a call.</summary>
    private static Problem NotKnown { get; } = new(
        StatusCodes.Status504GatewayTimeout, IngressErrors.NotKnownInTime, "the log has not said yet whether it has the call");

    /// <summary>Why a request is not taken that means an instance of this id; null if it is this one.</summary>
    public Problem? IsOther(string instance, string meant) =>
        entrance.InstanceId is not { } here ? Problem.Of(OutsideReplyKind.Unavailable)
            : meant == here.ToString("N") ? null
            : Problem.MeantForAnother(instance, here.ToString("N"));

    /// <summary>Names the instance that has answered a query: records of another one, made under its name, are others.</summary>
    public void SayInstance(HttpResponse response)
    {
        if (entrance.InstanceId is { } id)
        {
            response.Headers[GatewayHeaders.InstanceId] = id.ToString("N");
        }
    }

    /// <summary>Names the record after which a query's answer was true, and the instance that it is a record of.</summary>
    public void SayRecord(HttpResponse response, ulong record)
    {
        SayInstance(response);
        response.Headers[QueryEndpoint.RecordHeader] = record.ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>The methods that a caller may call.</summary>
    public MethodShape[] MethodsFor(AppShape app, IngressCaller caller) =>
        [.. app.Methods.Where(method => Offers(method, caller))];

    /// <summary>Whether a caller may call a method.</summary>
    public bool Offers(MethodShape method, IngressCaller caller) => offered.Offers(method) && caller.Methods.Offers(method);

    /// <summary>Whether the app that told last has a method as it was when somebody read its shape.</summary>
    public bool IsCurrent(MethodShape method) =>
        shapes.Value is { } app && app.Methods.Any(each => ReferenceEquals(each, method));

    /// <summary>A call, once for its key.</summary>
    /// <param name="caller">The client that calls.</param>
    /// <param name="call">The call.</param>
    /// <param name="gone">Its caller waits no more.</param>
    public async Task<IngressOutcome> CallAsync(IngressCaller caller, IngressCall call, CancellationToken gone)
    {
        if (keys.RefusalOf(call.Key) is { } foreign)
        {
            return IngressOutcome.Of(foreign);
        }

        try
        {
            if (call.Key is { IsOfNoTime: true })
            {
                throw Refused(
                    StatusCodes.Status400BadRequest, IngressErrors.BadKey,
                    "the key was not made before the year 2000: t counts the seconds since 1970, and made of gRPC the milliseconds");
            }

            (MethodShape method, byte[] arguments) = Read(caller, call);
            OutsideKey? key = call.Key is { } given ? given.Of(caller) : null;
            var submission = new OutsideSubmission(key, method.Id, arguments, CallBody.HashOf(method.Id, call.Form, call.Compared));
            return await WaitAsync(call.Wait, async stop => IngressOutcome.Of(await Submit(submission, call.Sends, stop), method), gone);
        }
        catch (ProblemException refused)
        {
            return await RefuseAsync(refused.Problem, caller, call.Key, call.Location, gone);
        }
    }

    /// <summary>Asks for a call that was made earlier.</summary>
    /// <param name="caller">The client that asks.</param>
    /// <param name="key">The key of the call.</param>
    /// <param name="name">The method: it only says how the result is written. Without it, the result's own bytes do.</param>
    /// <param name="wait">How long the caller waits.</param>
    /// <param name="gone">It waits no more.</param>
    public Task<IngressOutcome> LookAsync(IngressCaller caller, IdempotencyKey key, string name, TimeSpan wait, CancellationToken gone)
    {
        if (keys.RefusalOf(key) is { } foreign)
        {
            return Task.FromResult(IngressOutcome.Of(foreign));
        }

        MethodShape[] methods = name.Length > 0 && shapes.Value is { } app ? MethodsFor(app, name, caller) : [];
        MethodShape? method = methods.Length == 1 ? methods[0] : null;
        return WaitAsync(wait, async stop => IngressOutcome.Of(await entrance.LookAsync(key.Of(caller), stop), method), gone);
    }

    /// <summary>Whether a call of this key is in the log.</summary>
    /// <param name="caller">The client that has made it.</param>
    /// <param name="key">Its key.</param>
    /// <param name="gone">It waits no more.</param>
    public async Task<bool> HasAsync(IngressCaller caller, IdempotencyKey key, CancellationToken gone) =>
        keys.RefusalOf(key) is null && (await WaitAsync(
            s_look, async stop => IngressOutcome.Of(await entrance.LookAsync(key.Of(caller), stop), null), gone)).Problem is null;

    /// <summary>The queries of a name that a caller may ask.</summary>
    /// <param name="name">The name.</param>
    /// <param name="id">Number of the query, which chooses among those of one name; null if only the name is known.</param>
    /// <param name="caller">The client that asks.</param>
    /// <exception cref="ProblemException">There is none.</exception>
    public MethodShape[] QueriesFor(string name, int? id, IngressCaller caller)
    {
        AppShape app = shapes.Value ?? throw new ProblemException(CurrentShapes.None);
        MethodShape[] methods = MethodsFor(app, name, id, caller);
        MethodShape[] queries = [.. methods.Where(static method => method.IsQuery)];
        return queries.Length > 0 ? queries : throw Refused(
            StatusCodes.Status405MethodNotAllowed, IngressErrors.NoSuchMethod,
            $"{methods[0].Name} is no [Query] of {app.ShortName}, so it is called, by POST or by Call");
    }

    /// <summary>Asks a query over gRPC. Nothing is logged.</summary>
    /// <param name="caller">The client that asks.</param>
    /// <param name="request">What it asks.</param>
    /// <param name="wait">How long it waits.</param>
    /// <param name="gone">It waits no more.</param>
    /// <returns>The result, and the record after which it was true.</returns>
    /// <exception cref="ProblemException">There is no result.</exception>
    public Task<(IngressOutcome Outcome, ulong Record)> QueryAsync(
        IngressCaller caller, IngressQueryRequest request, TimeSpan wait, CancellationToken gone)
    {
        (MethodShape method, byte[] packed) = ReadQuery(caller, request);
        return AskAsync(caller, method, packed, request.AtLeast, wait, gone);
    }

    /// <summary>Which query is asked over gRPC, and its arguments as the app reads them.</summary>
    /// <exception cref="ProblemException">There is none, or it takes something else.</exception>
    public (MethodShape Method, byte[] Packed) ReadQuery(IngressCaller caller, IngressQueryRequest request)
    {
        MethodShape[] methods = QueriesFor(request.Method, request.MethodId, caller);
        byte[] arguments = request.Arguments.ToArray();
        return request.Form == IngressForm.Json ? OfJson(arguments, methods) : (OfArray(arguments, methods), arguments);
    }

    /// <summary>The same of one whose arguments are JSON.</summary>
    /// <exception cref="ProblemException">None of these takes them.</exception>
    public static (MethodShape Method, byte[] Packed) ReadQuery(MethodShape[] methods, byte[] arguments) => OfJson(arguments, methods);

    /// <summary>Asks a query whose arguments are there as the app reads them. Nothing is logged.</summary>
    /// <param name="caller">The client that asks.</param>
    /// <param name="method">The query.</param>
    /// <param name="packed">Its arguments.</param>
    /// <param name="atLeast">The record that must have been executed before.</param>
    /// <param name="wait">How long its caller waits.</param>
    /// <param name="gone">It waits no more.</param>
    /// <returns>The result, and the record after which it was true.</returns>
    /// <exception cref="ProblemException">There is no result.</exception>
    public async Task<(IngressOutcome Outcome, ulong Record)> AskAsync(
        IngressCaller caller, MethodShape method, byte[] packed, ulong atLeast, TimeSpan wait, CancellationToken gone)
    {
        // One that waits for a record takes one of the app's places for questions: a caller that fills its share leaves that of others.
        if (!queries.TryBegin(caller.Name, 0))
        {
            throw new ProblemException(OpenRequests.Full);
        }

        try
        {
            return await AskAppAsync(method, packed, atLeast, wait, gone);
        }
        finally
        {
            queries.End(caller.Name, 0);
        }
    }

    /// <summary>The app did not come to a record in time, or did not answer.</summary>
    public static Problem NotExecutedYet(ulong atLeast) => new(
        StatusCodes.Status504GatewayTimeout, IngressErrors.NotKnownInTime, atLeast == 0
            ? "the app has not answered the query in time"
            : $"the app has not executed record {atLeast} and answered the query in time");

    /// <summary>A refusal of what a request says.</summary>
    public static ProblemException NotUnderstood(string detail) =>
        Refused(StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, detail);

    /// <summary>
    /// A client that is told that a call was not understood may take it for one that never ran. So one that an earlier version of the app
    /// has taken, and that today's would not, is found and not refused.
    /// </summary>
    public async Task<IngressOutcome> RefuseAsync(
        Problem problem, IngressCaller caller, IdempotencyKey? key, string? location, CancellationToken gone)
    {
        if (key is not { } known || problem.Status == StatusCodes.Status503ServiceUnavailable)
        {
            return IngressOutcome.Of(problem);
        }

        if (keys.RefusalOf(known) is { } foreign)
        {
            return IngressOutcome.Of(foreign); // Whether it has run is not known here.
        }

        return await WaitAsync(s_look, async stop =>
        {
            OutsideReply reply = await entrance.LookAsync(known.Of(caller), stop);
            return reply.Kind switch
            {
                OutsideReplyKind.Answer or OutsideReplyKind.Accepted or OutsideReplyKind.OtherBody => IngressOutcome.Of(new Problem(
                    StatusCodes.Status409Conflict, IngressErrors.OtherBody,
                    $"a call with this key is in the log, and this one is not understood ({problem.Detail}); ask for the first "
                    + $"at {location}",
                    IsFinal: true)
                {
                    Location = location,
                }),
                OutsideReplyKind.Unknown or OutsideReplyKind.Future or OutsideReplyKind.Full => IngressOutcome.Of(problem),
                _ => IngressOutcome.Of(reply, null),
            };
        }, gone);
    }

    /// <summary>Asks the core, for as long as a caller waits.</summary>
    public async Task<IngressOutcome> WaitAsync(TimeSpan wait, Func<CancellationToken, Task<IngressOutcome>> ask, CancellationToken gone)
    {
        using var patience = new CancellationTokenSource(wait, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, gone);
        try
        {
            return await ask(either.Token);
        }
        catch (OperationCanceledException) when (!gone.IsCancellationRequested)
        {
            return IngressOutcome.Of(NotKnown);
        }
    }

    /// <summary>Asks the app, without a place among the questions of a caller.</summary>
    /// <exception cref="ProblemException">There is no result.</exception>
    public async Task<(IngressOutcome Outcome, ulong Record)> AskAppAsync(
        MethodShape method, byte[] packed, ulong atLeast, TimeSpan wait, CancellationToken gone)
    {
        using var patience = new CancellationTokenSource(wait, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, gone);
        try
        {
            AppAnswer answer = await query(AppQuery.Of(method.Id, packed, atLeast) with { OfPresent = true }, either.Token);
            return answer.Status switch
            {
                QueryStatus.Answered =>
                    (IngressOutcome.Of(new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, answer.Body), method), answer.Lsn),
                QueryStatus.Unknown => throw Refused(
                    StatusCodes.Status404NotFound, IngressErrors.NoSuchMethod,
                    $"the app answers no such query: {Encoding.UTF8.GetString(answer.Body)}"),
                _ => throw Refused(StatusCodes.Status422UnprocessableEntity, IngressErrors.HandlerFailed,
                    Encoding.UTF8.GetString(answer.Body)),
            };
        }
        catch (InvalidOperationException refused)
        {
            throw Refused(
                StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable,
                refused is NotServingException ? "the app is away, or still recovers" : refused.Message);
        }
        catch (OperationCanceledException) when (!gone.IsCancellationRequested)
        {
            throw new ProblemException(NotExecutedYet(atLeast));
        }
    }

    // Its size is looked at before it waits for anything.
    private Task<OutsideReply> Submit(OutsideSubmission call, bool sends, CancellationToken stop)
    {
        try
        {
            return sends ? entrance.SendAsync(call, stop) : entrance.CallAsync(call, stop);
        }
        catch (ArgumentException)
        {
            throw Refused(StatusCodes.Status413PayloadTooLarge, IngressErrors.TooLarge, "the arguments are larger than --max-message-size");
        }
    }

    // Those of a name, or the one with a number.
    private MethodShape[] MethodsFor(AppShape app, string name, int? id, IngressCaller caller)
    {
        MethodShape[] methods = id is { } number
            ? [.. MethodsFor(app, caller).Where(method => method.Id == number)] : MethodsFor(app, name, caller);
        return methods.Length > 0 ? methods : throw NotOffered(app, name, id, id is null ? [] : MethodsFor(app, name, caller), caller);
    }

    private MethodShape[] MethodsFor(AppShape app, string name, IngressCaller caller)
    {
        int dot = name.LastIndexOf('.');
        string of = dot < 0 ? "" : name[..dot];
        return of.Length > 0 && of != app.Interface && of != app.ShortName ? []
            : [.. MethodsFor(app, caller).Where(method => method.Name == name[(dot + 1)..])];
    }

    private (MethodShape Method, byte[] Arguments) Read(IngressCaller caller, IngressCall call)
    {
        AppShape app = shapes.Value ?? throw new ProblemException(CurrentShapes.None);
        MethodShape[] methods = MethodsFor(app, call.Method, call.MethodId, caller);
        return call.Form == IngressForm.MessagePack ? (OfArray(call.Body, methods), call.Body) : OfJson(call.Body, methods);
    }

    // A number stands for a name and its parameters: one of another number has others.
    private static ProblemException NotOffered(AppShape app, string name, int? id, MethodShape[] same, IngressCaller caller)
    {
        string number = id is { } foreign ? string.Create(CultureInfo.InvariantCulture, $" (number {foreign})") : "";
        string others = same.Length == 0 ? "" : "; here it is " + string.Join(" or ", same.Select(SignatureOf))
            + ", with other parameters: caller and app were built from different versions of the interface";
        return Refused(
            StatusCodes.Status404NotFound, IngressErrors.NoSuchMethod,
            $"{JsonPath.Shown(name)}{number} is no method of {app.ShortName} that is offered to {caller.Name}{others}; "
                + $"GET {caller.Prefix}/openapi.json lists them");
    }

    private static string SignatureOf(MethodShape method) => string.Create(
        CultureInfo.InvariantCulture,
        $"{method.Name}({string.Join(", ", method.Parameters.Select(static each => each.Name))}) (number {method.Id})");

    // Whether values are of the right types says the app: what it cannot read is an exception, as between immortals.
    private static MethodShape OfArray(byte[] body, MethodShape[] methods)
    {
        try
        {
            int count = PackReader.Arguments(body);
            MethodShape[] fitting = [.. methods.Where(method => method.Parameters.Count == count)];
            return fitting.Length == 1 ? fitting[0] : throw Refused(
                StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, fitting.Length == 0
                    ? $"{methods[0].Name} takes {string.Join(" or ", methods.Select(static each => each.Parameters.Count))} "
                    + $"arguments, not {count}"
                    : $"several methods named {methods[0].Name} take {count} arguments: say its number");
        }
        catch (PackException error)
        {
            throw Refused(
                StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood,
                $"the arguments are no array of MessagePack: {error.Message}");
        }
    }

    private static (MethodShape Method, byte[] Arguments) OfJson(byte[] body, MethodShape[] methods)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(body.Length == 0 ? "{}"u8.ToArray() : body, Json);
            return Encode(document.RootElement, methods);
        }
        catch (JsonException error)
        {
            throw NotUnderstood($"the arguments are no JSON: {error.Message}");
        }
        catch (JsonValueException error)
        {
            throw NotUnderstood(error.Message);
        }
        catch (InvalidOperationException)
        {
            throw NotUnderstood("a text of the arguments holds half a character");
        }
    }

    // Of several methods of one name, the first that takes these arguments: the names of its parameters choose.
    private static (MethodShape Method, byte[] Arguments) Encode(JsonElement body, MethodShape[] methods)
    {
        var reasons = new StringBuilder();
        foreach (MethodShape method in methods)
        {
            try
            {
                return (method, JsonEncoder.Arguments(body, method));
            }
            catch (JsonValueException error) when (methods.Length > 1)
            {
                reasons.Append(reasons.Length == 0 ? "" : "; or ").Append(error.Message);
            }
        }

        throw new JsonValueException("$", $"no method of this name takes it: {reasons}");
    }

    private static ProblemException Refused(int status, ErrorCode code, string detail) => new(new Problem(status, code, detail));
}
