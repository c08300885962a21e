{{- define "svc.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- define "svc.selector" -}}
app.kubernetes.io/name: svc
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "svc.metadata" -}}
metadata:
  name: {{ include "svc.name" . }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "svc.selector" . | nindent 4 }}
    app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}
