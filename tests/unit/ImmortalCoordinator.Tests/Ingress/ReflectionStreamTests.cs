using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>The end of a stream of questions about services.</summary>
public sealed class ReflectionStreamTests
{
    [Fact] // Through a gateway it may take as long as a failover.
    public async Task A_question_that_is_under_way_when_the_time_is_over_has_its_answer_still()
    {
        var time = new SteppedTime();
        var trailers = new HeaderDictionary();
        var context = new DefaultHttpContext();
        context.Features.Set<IHttpResponseTrailersFeature>(new Trailers(trailers));
        context.Request.Body = new MemoryStream([0, 0, 0, 0, 1, 7, 0, 0, 0, 0, 1, 8]);
        var body = new MemoryStream();
        context.Response.Body = body;
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var answers = new TaskCompletionSource<IngressStreamedReply>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task serving = new ReflectionStream(IngressLimits.Product, time).ServeAsync(context, async (_, stop) =>
        {
            asked.SetResult();
            return await answers.Task.WaitAsync(stop);
        });
        await asked.Task.OrFail();
        time.Pass(2 * IngressLimits.Product.QuestionsTime);
        answers.SetResult(new IngressStreamedReply(0, [9], null));
        await serving.OrFail();
        Assert.Equal([0, 0, 0, 0, 1, 9], body.ToArray()); // And no other one is asked.
        Assert.Equal("0", trailers["grpc-status"]);
    }

    private sealed class Trailers(IHeaderDictionary trailers) : IHttpResponseTrailersFeature
    {
        IHeaderDictionary IHttpResponseTrailersFeature.Trailers
        {
            get => trailers;
            set => throw new NotSupportedException();
        }
    }
}
