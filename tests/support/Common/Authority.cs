using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ambrosia.Tests.Common;

/// <summary>A certificate authority that lives in a folder of the test, and signs what it is told to.</summary>
internal sealed class Authority : IDisposable
{
    public const string ForServers = "1.3.6.1.5.5.7.3.1";
    public const string ForClients = "1.3.6.1.5.5.7.3.2";
    private static int s_serial;
    private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly X509Certificate2 _root;
    private readonly string _folder;

    public Authority(string folder, string name)
    {
        _folder = folder;
        var request = new CertificateRequest($"CN={name}", _key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign, true));
        _root = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddYears(-1), DateTimeOffset.UtcNow.AddYears(1));
        File = Path.Combine(folder, $"{name}.pem");
        System.IO.File.WriteAllText(File, _root.ExportCertificatePem());
    }

    /// <summary>Where its own certificate lies.</summary>
    public string File { get; }

    /// <summary>Writes, or writes over, the files of a certificate with these URIs, this validity in hours from now, and these
    /// purposes.</summary>
    public (string Certificate, string Key) Sign(string file, string[] uris, double from = -1, double to = 1, string[]? purposes = null)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={file}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost"); // Names of hosts may be there, and say nothing.
        Array.ForEach(uris, uri => names.AddUri(new Uri(uri)));
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension(
            [.. (purposes ?? [ForServers, ForClients]).Select(static purpose => new Oid(purpose))], false));
        DateTimeOffset now = DateTimeOffset.UtcNow;
        using X509Certificate2 signed =
            request.Create(_root, now.AddHours(from), now.AddHours(to), BitConverter.GetBytes(Interlocked.Increment(ref s_serial)));
        (string Certificate, string Key) files = (Path.Combine(_folder, $"{file}.crt"), Path.Combine(_folder, $"{file}.key"));
        System.IO.File.WriteAllText(files.Certificate, signed.ExportCertificatePem());
        System.IO.File.WriteAllText(files.Key, key.ExportPkcs8PrivateKeyPem());
        return files;
    }

    public void Dispose()
    {
        _root.Dispose();
        _key.Dispose();
    }
}
