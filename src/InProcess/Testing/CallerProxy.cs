using Ambrosia.Runtime;

namespace Ambrosia.Testing;

/// <summary>How the test gets into its own turn, where calls can be made.</summary>
internal sealed class CallerProxy : ImmortalProxy
{
    public void RunImpulse(long id)
    {
        OutgoingCall call = BeginImpulse(1, 16);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteInt64(id);
        _ = EndImpulse(ref call); // The call knows itself when it is done.
    }
}
