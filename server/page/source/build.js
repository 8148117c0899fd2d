// Bundles src/ into ../assets and ../index.html, under names that change with their content, and lists the licences.
import { build, context } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { join, relative, sep } from "node:path";

const here = import.meta.dirname;
const page = join(here, "..");
const assets = join(page, "assets");

/** The sources' digest, which the tests compare: whoever edits a source builds again. */
function digest() {
  const files = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(here, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .concat("index.html", "build.js", "package-lock.json")
    .sort();
  const hash = createHash("sha256");
  for (const name of files) hash.update(`${name}\n`).update(readFileSync(join(here, name)));
  return hash.digest("hex");
}

/** The licence of each package of which something is bundled. */
function licences(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input);
    if (found) packages.add(found[1]);
  }
  const parts = [...packages].sort().map((name) => {
    const folder = join(here, "node_modules", name);
    const about = JSON.parse(readFileSync(join(folder, "package.json")));
    const file = ["LICENSE", "LICENSE.md", "LICENCE", "license"].map((one) => join(folder, one)).find(existsSync);
    if (!file) throw new Error(`${name} has no licence file`);
    return `${name} ${about.version} (${about.license})\n\n${readFileSync(file, "utf8").trim()}\n`;
  });
  return `What others have written of the page's assets, and under which terms.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

function written(result) {
  const outputs = Object.entries(result.metafile.outputs);
  const named = ([path]) => `/assets/${path.split("/").pop()}`;
  const entry = outputs.find(([, output]) => output.entryPoint === "src/main.jsx");
  const text = readFileSync(join(here, "index.html"), "utf8")
    .replace("SCRIPT", named(entry))
    .replace("STYLE", named([entry[1].cssBundle]))
    .replace("ICON", named(outputs.find(([path]) => path.endsWith(".svg"))));
  writeFileSync(join(page, "index.html"), text);
  writeFileSync(join(page, "LICENCES.txt"), licences(result.metafile));
  writeFileSync(join(page, "sources.sha256"), `${digest()}\n`);
}

const options = {
  absWorkingDir: here,
  entryPoints: ["src/main.jsx", "src/icon.svg"],
  outdir: assets,
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".svg": "copy" },
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  minify: true,
  legalComments: "none",
  metafile: true,
  logLevel: "info",
  plugins: [{ name: "written", setup: (one) => one.onEnd((result) => result.errors.length || written(result)) }],
};

rmSync(assets, { recursive: true, force: true });
if (process.argv.includes("--watch")) await (await context(options)).watch();
else await build(options);
