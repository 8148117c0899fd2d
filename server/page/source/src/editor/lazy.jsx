// The editor, loaded when it is first seen: the live view needs none of it.
import { useEffect, useState } from "preact/hooks";

let loaded = null;

export function LazyEditor(props) {
  const [Editor, setEditor] = useState(() => loaded);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (!loaded) import("./editor.jsx").then((found) => setEditor(() => (loaded = found.Editor)), () => setFailed(true));
  }, []);
  if (failed) {
    return (
      <p class="empty">
        The editor could not be loaded: the server is away, or has another version by now.{" "}
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </p>
    );
  }
  return Editor ? <Editor {...props} /> : <div class="editor waiting" aria-busy="true" />;
}
