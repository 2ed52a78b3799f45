using Ambrosia.Coordinator.Operations;
using Ambrosia.CoordinatorHost.Metrics;
using Microsoft.AspNetCore.Http;
using static Ambrosia.CoordinatorHost.Admin.WebAnswer;

namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>
/// What an orchestrator asks: whether the process lives, whether the instance serves, and its measurements. Nothing that can be changed,
/// and nothing of what it holds.
/// </summary>
internal sealed class HealthEndpoints(ICoordinatorStatus status, MetricsCollector metrics)
{
    /// <summary>Answers every request.</summary>
    public Task HandleAsync(HttpContext context) => (context.Request.Method, context.Request.Path.Value) switch
    {
        ("GET" or "HEAD", "/healthz") => AnswerAsync(context, StatusCodes.Status200OK, "ok\n"),
        ("GET" or "HEAD", "/readyz") => ReadyAsync(context),
        ("GET" or "HEAD", "/metrics") => MetricsAsync(context),
        (_, "/healthz" or "/readyz" or "/metrics") => WrongMethodAsync(context, "GET"),
        _ => AnswerAsync(context, StatusCodes.Status404NotFound, "GET /healthz, /readyz, /metrics\n"),
    };

    private async Task MetricsAsync(HttpContext context) =>
        await AnswerAsync(context, StatusCodes.Status200OK, await metrics.RenderAsync(), PrometheusText.ContentType);

    private Task ReadyAsync(HttpContext context)
    {
        CoordinatorStatus now = status.Snapshot();
        return now.Ready
            ? AnswerAsync(context, StatusCodes.Status200OK, $"ready: {now.Role}\n")
            : AnswerAsync(context, StatusCodes.Status503ServiceUnavailable,
                $"not ready: {(now.NotReadyReason.Length > 0 ? now.NotReadyReason : now.Role)}\n");
    }
}
