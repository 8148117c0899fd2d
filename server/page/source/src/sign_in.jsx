// The token that the server demands, typed once; it is kept as long as the tab.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { takeToken } from "./server/requests.js";

/** What a header can carry; what was pasted with a bullet or a quotation mark would not even be sent. */
const TOKEN = /^[\x21-\x7e]+$/;

export function SignIn({ why }) {
  const dialog = useRef(null);
  const field = useRef(null);
  const [amiss, setAmiss] = useState("");
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown.showModal();
    field.current.focus();
    return () => shown.close(); // who was asked in the middle of something goes on there
  }, []);
  const submit = (event) => {
    event.preventDefault();
    const token = field.current.value.trim();
    if (TOKEN.test(token)) takeToken(token);
    else setAmiss("A token has no spaces, and no other letters and signs than those of ASCII: copy it anew.");
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="sign-in" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={submit}>
        <h1 id="sign-in">Sign in</h1>
        <p>This server answers those who have a token. Whoever runs it has set them up under [server.tokens].</p>
        <label>
          Token
          <input ref={field} type="password" autoComplete="current-password" required spellcheck={false} />
        </label>
        <p class="problem-line" role="alert">
          {amiss || why}
        </p>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </dialog>
  );
}
