/* One question at a time: oneAtATime(once, signal) gives a function that has once() called, which promises that it is
   answered. Called meanwhile, however often, it has once() called once more afterwards. */
export function oneAtATime(once, signal) {
  let asking = false, again = false;
  return async function ask() {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    do {
      again = false;
      await once().catch(error => {
        if (!signal.aborted) console.error(error);
      });
    } while (again && !signal.aborted);
    asking = false;
  };
}
