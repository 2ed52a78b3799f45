using System.Formats.Asn1;
using System.Security.Cryptography.X509Certificates;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>The URIs among a certificate's alternative names; .NET reads DNS names and addresses only.</summary>
internal static class UriNames
{
    private const string AlternativeNames = "2.5.29.17";
    private static readonly Asn1Tag s_uri = new(TagClass.ContextSpecific, 6);

    /// <summary>All of them, in the order of the certificate.</summary>
    /// <exception cref="AsnContentException">The extension is malformed.</exception>
    public static IReadOnlyList<string> Of(X509Certificate2 certificate)
    {
        List<string> found = [];
        foreach (X509Extension extension in certificate.Extensions.Where(static extension => extension.Oid?.Value == AlternativeNames))
        {
            AsnReader names = new AsnReader(extension.RawData, AsnEncodingRules.DER).ReadSequence();
            while (names.HasData)
            {
                if (names.PeekTag().HasSameClassAndValue(s_uri))
                {
                    found.Add(names.ReadCharacterString(UniversalTagNumber.IA5String, s_uri));
                }
                else
                {
                    names.ReadEncodedValue();
                }
            }
        }

        return found;
    }
}
