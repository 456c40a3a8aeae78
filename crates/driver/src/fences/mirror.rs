//! Copies of the user's files in a temporary folder, some of them patched, in the same places relative to
//! each other: the preprocessor reads files, and the originals stay as they are until they are asked for.

use fencepost_lsl::source::{FileId, Origin, SourceMap};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The copies.
pub(super) struct Mirror {
    folder: TempDir,
    /// What all originals have in common.
    root: PathBuf,
    /// Folders of originals, for what was not copied.
    folders: Vec<PathBuf>,
    main: PathBuf,
}

impl Mirror {
    /// Copies the user's files of a program that was loaded from `main`; those listed get another text.
    pub(super) fn new(sources: &SourceMap, main: &Path, patched: &[(FileId, String)]) -> io::Result<Mirror> {
        let folder = TempDir::new()?;
        let main = main.canonicalize()?;
        let mut files = Vec::new();
        for (id, file) in sources.files() {
            // Text from the command line has a name in angles.
            if file.origin == Origin::User && !file.name.starts_with('<') {
                let text =
                    patched.iter().find(|(other, _)| *other == id).map_or(&file.text, |(_, text)| text);
                files.push((Path::new(&file.name).canonicalize()?, text));
            }
        }
        let mut root = main.parent().unwrap_or(Path::new("/")).to_path_buf();
        while !files.iter().all(|(path, _)| path.starts_with(&root)) {
            root = root.parent().unwrap_or(Path::new("/")).to_path_buf();
        }
        let mut folders = Vec::new();
        for (path, text) in &files {
            let copy = copy_of(folder.path(), &root, path).unwrap_or_else(|| folder.path().to_path_buf());
            std::fs::create_dir_all(copy.parent().unwrap_or(folder.path()))?;
            std::fs::write(&copy, text)?;
            let parent = path.parent().unwrap_or(&root).to_path_buf();
            if !folders.contains(&parent) {
                folders.push(parent);
            }
        }
        Ok(Mirror { folder, root, folders, main })
    }

    /// The copy of the file that was loaded.
    pub(super) fn main(&self) -> PathBuf {
        copy_of(self.folder.path(), &self.root, &self.main).unwrap_or_else(|| self.main.clone())
    }

    /// The preprocessor's arguments, so that copies are found first.
    pub(super) fn arguments(&self, given: &[String]) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut after_include = false;
        for argument in given {
            if let Some(folder) = argument.strip_prefix("-I") {
                arguments.extend(self.copied(folder).map(|copy| format!("-I{copy}")));
                arguments.push(argument.clone());
            } else if after_include {
                arguments.push(self.copied(argument).unwrap_or_else(|| argument.clone()));
            } else {
                arguments.push(argument.clone());
            }
            after_include = argument == "-include";
        }
        let folders =
            self.folders.iter().flat_map(|folder| ["-iquote".to_owned(), folder.display().to_string()]);
        arguments.extend(folders);
        arguments
    }

    /// The copy of a file or folder, if there is one.
    fn copied(&self, original: &str) -> Option<String> {
        let original = Path::new(original).canonicalize().ok()?;
        let copy = copy_of(self.folder.path(), &self.root, &original)?;
        copy.exists().then(|| copy.display().to_string())
    }
}

fn copy_of(folder: &Path, root: &Path, original: &Path) -> Option<PathBuf> {
    Some(folder.join(original.strip_prefix(root).ok()?))
}
