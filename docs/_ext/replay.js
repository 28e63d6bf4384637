"use strict";
{ // The program behind the page, as it was recorded.
  const { answers, steps, filled } = JSON.parse(document.getElementById("recording").textContent);
  const END = `The recording ends here, after ${answers.length} answers. On your own table:`
    + " tabcast label TABLE --target COLUMN";
  let place = 0, part = -1, problem = ""; // of the steps; of a step, which may begin with training

  const ask = {
    state: () => { part = Math.min(part + 1, steps[place].length - 1); },
    probabilities: () => {},
    answer: ({ event, label }) => {
      problem = event === "class" ? "A recording takes no new class. " : "";
      if (event === "undo") part = steps[--place].length - 1;
      else if (event !== "class" && place < answers.length) {
        const row = `Row ${steps[place][0].state.card.row}`, recorded = answers[place];
        if (label !== recorded) problem = `${row} is ${recorded} in the recording, which goes on with that. `;
        place += 1;
        part = 0;
      }
      if (event !== "undo" && place === answers.length) problem += END;
    },
  };

  window.fetch = async (name, { body = "{}" } = {}) => ({
    json: async () => {
      const said = `A recording writes nothing. After its last answer, the program said: ${filled}`;
      if (name === "fill") return { result: said };
      ask[name](JSON.parse(body));
      return { ...steps[place][part], problem };
    },
  });
}
