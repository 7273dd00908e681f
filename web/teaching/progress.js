/* What was guessed in a lesson, {guesses: {question: guess}, put: {question: a guess that is not confirmed}, sweep:
 * id}: kept in this tab alone, so that a reload loses nothing. */
export function stateOf(name) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(`lesson.${name}`));
    if (kept?.guesses) return kept;
  } catch { /* not of this page */
  }
  return {guesses: {}, sweep: null};
}

export function stateKeep(name, state) {
  sessionStorage.setItem(`lesson.${name}`, JSON.stringify(state));
}
