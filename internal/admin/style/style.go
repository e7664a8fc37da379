// Package style has the colours, type and spaces that all pages of servemap share, so that
// the inspector and the site map for visitors look alike. It is only CSS.
package style

import _ "embed"

// Tokens are custom properties of CSS, each colour for light and dark. A page puts them
// in front of its own style sheet.
//
//go:embed tokens.css
var Tokens string
