// The path of the program, for callers that start it themselves: require('mxc-exec').path
// The same as a shell: require('mxc-exec').shell
// Only the places of launcher.sh: node would look in folders further up, and obey a package.json.
const fs = require('fs');
const path = require('path');
const program = `mxc-exec-${process.platform}-${process.arch}`;
const folders = [path.join(__dirname, 'node_modules'), path.dirname(__dirname)];
const fileOf = (name) => {
  const found = folders.map((folder) => path.join(folder, program, 'bin', name)).find((file) => fs.existsSync(file));
  if (found === undefined) throw new Error(`mxc-exec: ${program} is not installed beside it; npm leaves it out with --omit=optional`);
  return found;
};
exports.path = fileOf('mxc-exec');
exports.shell = fileOf('mxc-sh');
