// The editor, loaded when it is first seen: the live view needs none of it.
import { useEffect, useState } from "preact/hooks";

let loaded = null;

export function LazyEditor(props) {
  const [Editor, setEditor] = useState(() => loaded);
  useEffect(() => {
    if (!loaded) import("./editor.jsx").then((found) => setEditor(() => (loaded = found.Editor)));
  }, []);
  return Editor ? <Editor {...props} /> : <div class="editor waiting" aria-busy="true" />;
}
