import "uplot/dist/uPlot.min.css";
import "./style/colours.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/parts.css";
import "./style/charts.css";
import "./style/views.css";
import "./style/forced.css";
import { render } from "preact";
import { App } from "./app.jsx";
import "./theme.js";

render(<App />, document.getElementById("page"));
