{{/* The pods of all instances of this release. */}}
{{- define "ambrosia.selector" -}}
app.kubernetes.io/component: immortal
app.kubernetes.io/part-of: {{ .Release.Name | quote }}
{{- end }}

{{/* What shared objects have as labels. */}}
{{- define "ambrosia.labels" -}}
app.kubernetes.io/part-of: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "ambrosia.cluster" -}}
{{ .Values.cluster | default .Release.Name }}
{{- end }}

{{/* dict image, own (of an instance, or none), chart. */}}
{{- define "ambrosia.image" -}}
{{- $image := .image }}
{{- with .own }}
{{- $image = dict "repository" (.repository | default $image.repository) "tag" (.tag | default "") "digest" (.digest | default "") }}
{{- if not (or .tag .digest .repository) }}{{ $image = $.image }}{{ end }}
{{- end }}
{{- if $image.digest }}{{ $image.repository }}@{{ $image.digest }}{{ else }}{{ $image.repository }}:{{ $image.tag | default .chart.AppVersion }}{{ end }}
{{- end }}

{{/* A part of an address, such as a user with an @ in its name. */}}
{{- define "ambrosia.escaped" -}}
{{ . | urlquery | replace "+" "%20" }}
{{- end }}

{{- define "ambrosia.postgres" -}}
{{- $p := .Values.store.postgres -}}
postgres://{{ include "ambrosia.escaped" $p.user }}@{{ $p.host }}{{ if ne (int $p.port) 5432 }}:{{ int $p.port }}{{ end }}/{{ include "ambrosia.escaped" $p.database }}?sslmode={{ $p.sslmode }}
{{- if hasPrefix "verify-" $p.sslmode }}&sslrootcert=/etc/ambrosia/database/ca.crt{{ end }}
{{- if $p.schema }}&schema={{ include "ambrosia.escaped" $p.schema }}{{ end }}
{{- end }}

{{/* A value as its option is written: numbers of a file with values are floating point, and 16777216 would be 1.6777216e+07. */}}
{{- define "ambrosia.text" -}}
{{ if kindIs "float64" . }}{{ printf "%.0f" . }}{{ else }}{{ toString . }}{{ end }}
{{- end }}

{{/* The options that all coordinators share. */}}
{{- define "ambrosia.options" -}}
AMBROSIA_CLUSTER: {{ include "ambrosia.cluster" . | quote }}
{{- if eq .Values.store.kind "file" }}
AMBROSIA_STORE: file:/var/lib/ambrosia/instances
AMBROSIA_CATALOG: dns:immortal-{instance}:{{ int .Values.ports.peers }}
{{- else if eq .Values.store.kind "postgres" }}
AMBROSIA_STORE: {{ include "ambrosia.postgres" . | quote }}
AMBROSIA_CATALOG: {{ include "ambrosia.postgres" . | quote }}
AMBROSIA_STORE_SECRET_FILE: /etc/ambrosia/database/password
{{- else }}
{{- with .Values.store.azure }}
AMBROSIA_STORE: azblob://{{ .account }}.blob.{{ .endpointSuffix }}/{{ .container }}
AMBROSIA_CATALOG: aztable://{{ .account }}.table.{{ .endpointSuffix }}/{{ .table }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.coordinator.options }}
{{ $name }}: {{ include "ambrosia.text" $value | quote }}
{{- end }}
{{- end }}

{{- define "ambrosia.certificateSecret" -}}
{{ .instance.certificateSecret | default (.root.Values.certificates.secretName | replace "{instance}" .instance.name) }}
{{- end }}

{{/* The coordinator's resources: where it has a scratch volume, its limit is that of the node's disk. */}}
{{- define "ambrosia.coordinatorResources" -}}
{{- $resources := deepCopy .Values.coordinator.resources }}
{{- if ne .Values.store.kind "file" }}
{{- $resources = mergeOverwrite $resources (dict "limits" (dict "ephemeral-storage" .Values.store.scratch.containerLimit)) }}
{{- end }}
{{- toYaml $resources }}
{{- end }}
