// Renders a chart with what Helm renders it with: Go's templates, sprig's functions and Helm's own three. For machines
// without Helm: GO111MODULE=off GOPATH=/usr/share/gocode go run render-chart.go CHART VALUES.yaml… (Debian's packages
// golang-go, golang-github-masterminds-sprig-dev, golang-github-ghodss-yaml-dev).
package main

import (
	"bytes"
	"errors"
	"log"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

// merge puts over's values into base's, as Helm does with one file of values after another.
func merge(base, over map[string]interface{}) {
	for name, value := range over {
		inner, isMap := value.(map[string]interface{})
		if former, wasMap := base[name].(map[string]interface{}); isMap && wasMap {
			merge(former, inner)
		} else {
			base[name] = value
		}
	}
}

func read(path string) map[string]interface{} {
	text, err := os.ReadFile(path)
	values := map[string]interface{}{}
	if err == nil {
		err = yaml.Unmarshal(text, &values)
	}
	if err != nil {
		log.Fatal(path, ": ", err)
	}
	return values
}

func main() {
	log.SetFlags(0)
	chart := os.Args[1]
	values := read(filepath.Join(chart, "values.yaml"))
	for _, path := range os.Args[2:] {
		merge(values, read(path))
	}
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(sprig.TxtFuncMap()).Funcs(template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			var text bytes.Buffer
			err := all.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return nil, errors.New(message)
			}
			return value, nil
		},
		"toYaml": func(value interface{}) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
	})
	template.Must(all.ParseGlob(filepath.Join(chart, "templates", "*")))
	data := map[string]interface{}{
		"Values":  values,
		"Release": map[string]interface{}{"Name": "svc", "Namespace": "check-in", "Service": "Helm"},
	}
	files, _ := filepath.Glob(filepath.Join(chart, "templates", "*.yaml"))
	for _, file := range files {
		os.Stdout.WriteString("---\n")
		if err := all.ExecuteTemplate(os.Stdout, filepath.Base(file), data); err != nil {
			log.Fatal(err)
		}
		os.Stdout.WriteString("\n")
	}
	// What Helm prints after an installation.
	if err := all.ExecuteTemplate(os.Stderr, "NOTES.txt", data); err != nil {
		log.Fatal(err)
	}
}
