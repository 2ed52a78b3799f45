{{/* What the schema cannot say, or not in words that help. Every sentence says what to write instead. */}}
{{- define "ambrosia.checks" -}}
{{- $service := ne .Values.store.kind "file" }}
{{- $names := dict }}
{{- range .Values.instances }}
{{- if not (regexMatch "^[a-z0-9]([a-z0-9-]{0,41}[a-z0-9])?$" .name) }}
{{- fail (printf "instances: '%s' is not a name: write 1 to 43 small letters, digits or '-', beginning and ending with a letter or digit" .name) }}
{{- end }}
{{- if hasKey $names .name }}
{{- fail (printf "instances: '%s' is there twice: give each instance a name of its own" .name) }}
{{- end }}
{{- $_ := set $names .name true }}
{{- if and (gt (int (.replicas | default $.Values.replicas)) 1) (not $service) }}
{{- fail (printf "replicas: '%s' cannot have more than one pod with store.kind=file, because each pod would have a log of its own: choose store.kind=postgres or azure" .name) }}
{{- end }}
{{- with .env }}{{ include "ambrosia.checkEnv" (dict "what" "instances" "env" .) }}{{ end }}
{{- end }}
{{- include "ambrosia.checkEnv" (dict "what" "app.env" "env" .Values.app.env) }}
{{- if not (regexMatch "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$" (include "ambrosia.cluster" .)) }}
{{- fail (printf "cluster: '%s' is not a name: write 1 to 63 letters, digits, '.', '_' or '-', beginning with a letter or digit" (include "ambrosia.cluster" .)) }}
{{- end }}
{{- range $name, $value := .Values.coordinator.options }}
{{- if not (regexMatch "^AMBROSIA_[A-Z_]+$" $name) }}
{{- fail (printf "coordinator.options: '%s' is not an option: write the name of its variable, such as AMBROSIA_LOG_LEVEL" $name) }}
{{- end }}
{{- $owner := get (include "ambrosia.owners" . | fromYaml) $name }}
{{- if $owner }}
{{- fail (printf "coordinator.options: the chart sets %s itself: %s" $name $owner) }}
{{- end }}
{{- end }}
{{- if and (eq .Values.store.kind "azure") (not .Values.store.azure.account) }}
{{- fail "store.azure.account is missing: write the name of the storage account" }}
{{- end }}
{{- if and (eq .Values.store.kind "azure") (not .Values.store.azure.clientId) }}
{{- fail "store.azure.clientId is missing: write the client id of the identity that may use the storage account" }}
{{- end }}
{{- with .Values.certificates }}
{{- if and .certManager.enabled (not .certManager.issuer.name) }}
{{- fail "certificates.certManager.issuer.name is missing: write the name of the issuer that signs the certificates" }}
{{- end }}
{{- if not (contains "{instance}" .secretName) }}
{{- fail (printf "certificates.secretName: '%s' would be one secret for all instances, and a certificate names one: write {instance} where its name belongs" .secretName) }}
{{- end }}
{{- end }}
{{- $ports := list (int .Values.ports.peers) (int .Values.ports.health) }}
{{- if .Values.admin.enabled }}{{ $ports = append $ports (int .Values.admin.port) }}{{ end }}
{{- if ne (len $ports) (len (uniq $ports)) }}
{{- fail (printf "ports.peers, ports.health and admin.port are %s: give each a number of its own" (join ", " $ports)) }}
{{- end }}
{{- range $what, $image := dict "coordinator" .Values.images.coordinator "app" .Values.images.app }}
{{- if and $image.digest (not (regexMatch "^sha256:[0-9a-f]{64}$" $image.digest)) }}
{{- fail (printf "images.%s.digest: '%s' is not a digest: write sha256: and 64 hexadecimal digits" $what $image.digest) }}
{{- end }}
{{- end }}
{{- $unavailable := toString .Values.podDisruptionBudget.maxUnavailable }}
{{- if not (regexMatch "^[1-9][0-9]*$|^[1-9][0-9]?%$|^100%$" $unavailable) }}
{{- fail (printf "podDisruptionBudget.maxUnavailable: '%s' is neither a number nor a percentage: write 1 or more, or such as '25%%'" $unavailable) }}
{{- end }}
{{- $sizes := dict "store.file.size" .Values.store.file.size "store.scratch.size" .Values.store.scratch.size "store.scratch.containerLimit" .Values.store.scratch.containerLimit "app.tmpSize" .Values.app.tmpSize }}
{{- range $name, $size := $sizes }}
{{- if not (regexMatch "^[1-9][0-9]*(Mi|Gi|Ti)$" $size) }}
{{- fail (printf "%s: '%s' is not a size: write a number and Mi, Gi or Ti, such as 10Gi" $name $size) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Variables that the chart gives the app. */}}
{{- define "ambrosia.checkEnv" -}}
{{- $what := .what }}
{{- range .env }}
{{- if has .name (list "AMBROSIA_INSTANCE_NAME" "AMBROSIA_SOCKET") }}
{{- fail (printf "%s: the chart sets %s itself" $what .name) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Options that other values set. */}}
{{- define "ambrosia.owners" -}}
AMBROSIA_CLUSTER: use cluster
AMBROSIA_STORE: use store
AMBROSIA_CATALOG: use store
AMBROSIA_STORE_SECRET_FILE: use store
AMBROSIA_INSTANCE_NAME: use instances
AMBROSIA_REPLICA_ID: use replicas
AMBROSIA_HOME: it is where the volume is
AMBROSIA_SOCKET: it is where both containers look for it
AMBROSIA_PEER_ADDRESS: use ports.peers
AMBROSIA_HEALTH: use ports.health
AMBROSIA_ADMIN: use admin
AMBROSIA_ADMIN_TOKEN_FILE: use admin
AMBROSIA_PEER_CERT_FILE: use certificates
AMBROSIA_PEER_KEY_FILE: use certificates
AMBROSIA_PEER_TRUSTED_CA_FILE: use certificates
{{- end }}
