/// The version of this program: what `--version`, `/metrics` and desktops tell.
let version = "0.1.0"
