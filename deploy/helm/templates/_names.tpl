{{- define "memory.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "memory.selector" -}}
app.kubernetes.io/name: memory-service
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "memory.labels" -}}
{{ include "memory.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end -}}

{{- define "memory.settings" -}}
{{- if ge (int .Values.workNode) (int .Values.replicas) -}}
{{- fail (printf "workNode %d: there are %d replicas, numbered from 0" (int .Values.workNode) (int .Values.replicas)) -}}
{{- end -}}
{{- $needed := .Files.Get "agent.yaml" | fromYaml -}}
{{- $_ := set $needed.storage "schema" .Values.schema -}}
{{- $_ := set $needed "team" (dict "node" (printf "%s-%d" (include "memory.name" .) (int .Values.workNode))) -}}
{{- if .Values.publicUrl -}}{{- $_ := set $needed.auth "publicUrl" .Values.publicUrl -}}{{- end -}}
{{- mergeOverwrite (deepCopy .Values.settings) $needed | toYaml -}}
{{- end -}}
