using Ambrosia.Coordinator.Sessions;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>How every request to the coordinator's HTTP addresses is answered.</summary>
internal static class WebAnswer
{
    /// <summary>A text that nobody may keep; its head alone if only that was asked for.</summary>
    public static Task AnswerAsync(HttpContext context, int code, string text, string contentType = "text/plain; charset=utf-8")
    {
        context.Response.StatusCode = code;
        context.Response.ContentType = contentType;
        context.Response.Headers.CacheControl = "no-store";
        return HttpMethods.IsHead(context.Request.Method) ? Task.CompletedTask : context.Response.WriteAsync(text, context.RequestAborted);
    }

    /// <summary>Why it cannot be done now: 503 while there is nobody to ask, else 409.</summary>
    public static Task RefuseAsync(HttpContext context, string what, InvalidOperationException reason) => reason is NotServingException
        ? AnswerAsync(context, StatusCodes.Status503ServiceUnavailable, reason.Message + "\n")
        : AnswerAsync(context, StatusCodes.Status409Conflict, $"{what}{reason.Message}\n");

    /// <summary>The refusal of another method than this one.</summary>
    public static Task WrongMethodAsync(HttpContext context, string allowed)
    {
        context.Response.Headers.Allow = allowed;
        return AnswerAsync(context, StatusCodes.Status405MethodNotAllowed, $"use {allowed}\n");
    }
}
