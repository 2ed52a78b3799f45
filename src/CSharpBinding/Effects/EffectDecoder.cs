using System.ComponentModel;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>Reads the arguments of an effect and gives the call that they make; generated.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate Func<TInterface, EffectContext, TTask> EffectDecoder<TInterface, TTask>(ref MessagePackReader arguments);
